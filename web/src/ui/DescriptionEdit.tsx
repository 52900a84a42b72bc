import { EditOutlined } from "@ant-design/icons";
import { Button, Input, Space } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DESCRIPTION_MAX } from "@/lib/limits";
import { IconButton } from "./IconButton";
import { useNotify } from "./notify";
import styles from "./Page.module.css";

interface DescriptionEditProps {
  text: string;
  canEdit: boolean;
  onSave: (text: string) => Promise<unknown>;
}

/** A description, edited where it stands. */
export function DescriptionEdit(props: DescriptionEditProps) {
  const { text, canEdit } = props;
  const { t } = useTranslation();
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <DescriptionForm {...props} onClose={() => setEditing(false)} />;
  if (!text && !canEdit) return null;
  return (
    <div className={styles.editable}>
      {text || <span className="tm-muted">{t("description.none")}</span>}
      {canEdit && <IconButton size="small" icon={<EditOutlined aria-hidden />} label={t("description.edit")} onClick={() => setEditing(true)} />}
    </div>
  );
}

function DescriptionForm({ text: before, onSave, onClose }: DescriptionEditProps & { onClose: () => void }) {
  const { t } = useTranslation();
  const notify = useNotify();
  const [text, setText] = useState(before);
  const [isBusy, setBusy] = useState(false);
  const isLong = [...text].length > DESCRIPTION_MAX;
  const save = async () => {
    if (isLong || isBusy) return;
    setBusy(true);
    try {
      await onSave(text);
      onClose();
    } catch (error) {
      notify.failed(error);
      setBusy(false);
    }
  };
  return (
    <div className={styles.editing}>
      <Input.TextArea
        autoFocus
        aria-label={t("field.description")}
        value={text}
        status={isLong ? "error" : undefined}
        autoSize={{ minRows: 2, maxRows: 8 }}
        count={{ show: true, max: DESCRIPTION_MAX }}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void save();
        }}
      />
      <Space style={{ marginTop: 8 }}>
        <Button size="small" type="primary" loading={isBusy} disabled={isLong} title={isLong ? t("description.long", { max: DESCRIPTION_MAX }) : undefined} onClick={() => void save()}>
          {t("action.save")}
        </Button>
        <Button size="small" onClick={onClose}>
          {t("action.cancel")}
        </Button>
      </Space>
    </div>
  );
}
