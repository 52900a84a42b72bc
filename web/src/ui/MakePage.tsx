/** The make shape: grouped fields at a readable width, and beside them what will happen and the same as a command. */
import { Button, Form, Tooltip } from "antd";
import type { FormInstance } from "antd";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CommandLine } from "./CommandLine";
import { useFormSubmit } from "./form/form-submit";
import { PageHeader } from "./PageHeader";
import { Problem } from "./Problem";
import styles from "./Page.module.css";

interface MakePageProps<V extends object> {
  title: string;
  form: FormInstance<V>;
  initialValues: V;
  submitText: string;
  onSubmit: (values: V) => Promise<unknown>;
  onCancel: () => void;
  /** One sentence: what will be made with these values. */
  summary: (values: V) => ReactNode;
  /** The same as a command, where there is one. */
  command?: (values: V) => string;
  /** Why it cannot be submitted at all. */
  disabledReason?: string;
  children: ReactNode;
}

export function MakePage<V extends object>(props: MakePageProps<V>) {
  const { title, form, initialValues, submitText, onSubmit, onCancel, summary, command, disabledReason, children } = props;
  const { t } = useTranslation();
  // Watched rather than noted at each change: pages also set values that follow from others.
  const values = (Form.useWatch([], { form, preserve: true }) as V | undefined) ?? initialValues;
  const { submit, isBusy, problem } = useFormSubmit(form, onSubmit);
  return (
    <section>
      <PageHeader title={title} />
      <Form<V>
        form={form}
        layout="vertical"
        requiredMark="optional"
        initialValues={initialValues}
        onFinish={(finished) => void submit(finished)}
        scrollToFirstError={{ focus: true }}
      >
        <div className={styles.make}>
          <div>{children}</div>
          <aside className={styles.side} aria-label={t("make.summary")}>
            <h2 className={styles.sideTitle}>{t("make.summary")}</h2>
            <div>{summary(values)}</div>
            {command && (
              <>
                <h2 className={styles.sideTitle}>{t("make.command")}</h2>
                <CommandLine text={command(values)} />
              </>
            )}
            {problem && <Problem problem={problem} />}
            <Tooltip title={disabledReason}>
              <Button type="primary" htmlType="submit" loading={isBusy} disabled={disabledReason !== undefined} block>
                {submitText}
              </Button>
            </Tooltip>
            <Button block onClick={onCancel} disabled={isBusy}>
              {t("action.cancel")}
            </Button>
          </aside>
        </div>
      </Form>
    </section>
  );
}

export function FieldGroup({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  return (
    <section className={styles.group}>
      <h2 className={styles.groupTitle}>{title}</h2>
      {text && <p className={styles.groupText}>{text}</p>}
      {children}
    </section>
  );
}
