import { Alert, Form, Modal } from "antd";
import { useRef } from "react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useFormSubmit } from "./form-submit";

interface FormModalProps<V extends object> {
  title: string;
  submitText: string;
  initialValues: Partial<V>;
  onSubmit: (values: V) => Promise<unknown>;
  onClose: () => void;
  width?: number;
  isDanger?: boolean;
  children: ReactNode;
}

const FIELDS = 'input:not([type="hidden"], [type="file"], [role="combobox"], [readonly], :disabled), textarea:not(:disabled)';

/** A short form over the page. Rendered only while open, so each opening starts fresh. */
export function FormModal<V extends object>(props: FormModalProps<V>) {
  const { title, submitText, initialValues, onSubmit, onClose, width = 520, isDanger, children } = props;
  const { t } = useTranslation();
  const [form] = Form.useForm<V>();
  const { submit, isBusy, problem } = useFormSubmit(form, onSubmit);
  const body = useRef<HTMLDivElement>(null);
  // Where nothing moves, the dialog takes the focus only after its fields have asked for it.
  const focusField = () => {
    if (!body.current?.contains(document.activeElement)) body.current?.querySelector<HTMLElement>(FIELDS)?.focus();
  };
  return (
    <Modal
      open
      afterOpenChange={(isOpen) => isOpen && focusField()}
      title={title}
      width={width}
      okText={submitText}
      okButtonProps={{ danger: isDanger, loading: isBusy }}
      cancelText={t("action.cancel")}
      onOk={() => form.submit()}
      onCancel={onClose}
      mask={{ closable: false }}
      destroyOnHidden
    >
      <div ref={body}>
        <Form<V>
          form={form}
          layout="vertical"
          requiredMark="optional"
          initialValues={initialValues}
          onFinish={async (values) => {
            if (await submit(values)) onClose();
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.submit();
          }}
        >
          {children}
          {problem && <Alert type="error" showIcon title={problem.title} description={problem.text} />}
          <button type="submit" className="tm-hidden" tabIndex={-1} aria-hidden="true" />
        </Form>
      </div>
    </Modal>
  );
}
