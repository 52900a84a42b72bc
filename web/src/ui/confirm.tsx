/** Asks before something that cannot simply be undone; for the gravest things the name must be typed. */
import { Alert, Form, Input, Modal } from "antd";
import { createContext, useCallback, useContext, useState } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useDialogFocus } from "./dialog-focus";
import { useFailureText } from "./failure-text";
import type { FailureText } from "./failure-text";

export interface ConfirmRequest {
  title: string;
  text?: ReactNode;
  okText: string;
  isDanger?: boolean;
  /** When given, the user has to type exactly this. */
  typeName?: string;
  /** A rejection is shown in the dialog, which stays open. */
  onConfirm: () => Promise<unknown>;
  onCancel?: () => void;
  /** More about a refusal than its message, such as links to what is in the way. */
  explain?: (error: unknown, close: () => void) => ReactNode;
}

type Ask = (request: ConfirmRequest) => void;

const ConfirmContext = createContext<Ask | null>(null);

export function useConfirm(): Ask {
  const ask = useContext(ConfirmContext);
  if (!ask) throw new Error("useConfirm needs a ConfirmProvider above it");
  return ask;
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [request, setRequest] = useState<ConfirmRequest | null>(null);
  const ask = useCallback<Ask>((next) => setRequest(next), []);
  return (
    <ConfirmContext value={ask}>
      {children}
      {request && <ConfirmDialog request={request} onClose={() => setRequest(null)} />}
    </ConfirmContext>
  );
}

function ConfirmDialog({ request, onClose }: { request: ConfirmRequest; onClose: () => void }) {
  const { title, text, okText, isDanger = true, typeName, onConfirm, onCancel, explain } = request;
  const { t } = useTranslation();
  const failureText = useFailureText();
  const [typed, setTyped] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<(FailureText & { error: unknown }) | null>(null);
  const isReady = typeName === undefined || typed === typeName;
  const { body, afterOpenChange } = useDialogFocus();

  const confirm = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setProblem({ ...failureText(error), error });
      setBusy(false);
    }
  };
  return (
    <Modal
      open
      afterOpenChange={afterOpenChange}
      width={440}
      title={title}
      okText={okText}
      cancelText={t("action.cancel")}
      okButtonProps={{ danger: isDanger, disabled: !isReady, loading: isBusy, autoFocus: typeName === undefined, title: isReady ? undefined : t("confirm.typeFirst") }}
      onOk={() => void confirm()}
      onCancel={() => {
        onCancel?.();
        onClose();
      }}
    >
      {text}
      {typeName !== undefined && (
        <div ref={body}>
          <Form layout="vertical" onFinish={() => isReady && void confirm()} style={{ marginTop: 12 }}>
            <Form.Item label={t("confirm.type", { name: typeName })} style={{ marginBottom: 8 }}>
              <Input autoFocus value={typed} autoComplete="off" aria-label={t("confirm.type", { name: typeName })} onChange={(event) => setTyped(event.target.value)} />
            </Form.Item>
          </Form>
        </div>
      )}
      {problem && (
        <Alert
          type="error"
          showIcon
          title={problem.title}
          description={
            <>
              {problem.text}
              {explain?.(problem.error, onClose)}
            </>
          }
          style={{ marginTop: 12 }}
        />
      )}
    </Modal>
  );
}
