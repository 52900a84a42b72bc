import { EditOutlined } from "@ant-design/icons";
import { Button, Input, Space } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DESCRIPTION_MAX } from "@/lib/limits";
import { IconButton } from "@/ui/IconButton";
import { useNotify } from "@/ui/notify";
import { describeAsset } from "./api";
import { refOf } from "./asset-actions";
import { useRefresh } from "./queries";
import type { AssetView } from "./types";
import styles from "./Assets.module.css";

/** The description, edited where it stands. It is the only thing about an asset that can be changed. */
export function DescriptionEdit({ asset }: { asset: AssetView }) {
  const { t } = useTranslation(["assets", "common"]);
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <DescriptionForm asset={asset} onClose={() => setEditing(false)} />;
  const canEdit = asset.permissions.includes("write");
  if (!asset.description && !canEdit) return null;
  return (
    <div className={styles.description}>
      {asset.description || <span className="tm-muted">{t("noDescription")}</span>}
      {canEdit && <IconButton size="small" icon={<EditOutlined aria-hidden />} label={t("editDescription")} onClick={() => setEditing(true)} />}
    </div>
  );
}

function DescriptionForm({ asset, onClose }: { asset: AssetView; onClose: () => void }) {
  const { t } = useTranslation(["assets", "common"]);
  const notify = useNotify();
  const refresh = useRefresh();
  const [text, setText] = useState(asset.description);
  const [isBusy, setBusy] = useState(false);
  const isLong = [...text].length > DESCRIPTION_MAX;
  const save = async () => {
    if (isLong || isBusy) return;
    setBusy(true);
    try {
      await describeAsset(refOf(asset), text);
      await refresh.asset(refOf(asset));
      onClose();
    } catch (error) {
      notify.failed(error);
      setBusy(false);
    }
  };
  return (
    <div style={{ width: 560, maxWidth: "100%", paddingBottom: 24 }}>
      <Input.TextArea
        autoFocus
        aria-label={t("common:field.description")}
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
        <Button size="small" type="primary" loading={isBusy} disabled={isLong} title={isLong ? t("common:description.long", { max: DESCRIPTION_MAX }) : undefined} onClick={() => void save()}>
          {t("common:action.save")}
        </Button>
        <Button size="small" onClick={onClose}>
          {t("common:action.cancel")}
        </Button>
      </Space>
    </div>
  );
}
