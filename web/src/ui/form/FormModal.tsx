import { Form, Modal } from "antd";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useDialogFocus } from "../dialog-focus";
import { Problem } from "../Problem";
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

/** A short form over the page. Rendered only while open, so each opening starts fresh. */
export function FormModal<V extends object>(props: FormModalProps<V>) {
  const { title, submitText, initialValues, onSubmit, onClose, width = 520, isDanger, children } = props;
  const { t } = useTranslation();
  const [form] = Form.useForm<V>();
  const { submit, isBusy, problem } = useFormSubmit(form, onSubmit);
  const { body, afterOpenChange } = useDialogFocus();
  return (
    <Modal
      open
      afterOpenChange={afterOpenChange}
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
          {problem && <Problem problem={problem} />}
          <button type="submit" className="tm-hidden" tabIndex={-1} aria-hidden="true" />
        </Form>
      </div>
    </Modal>
  );
}
