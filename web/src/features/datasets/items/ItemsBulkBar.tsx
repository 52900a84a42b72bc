/** Does one thing to all ticked items; the server does it to any number of them. */
import { DeleteOutlined, DownOutlined, UserOutlined } from "@ant-design/icons";
import { Button, Dropdown, Form } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useConfirm } from "@/ui/confirm";
import { useFormat } from "@/lib/format";
import { FormModal } from "@/ui/form/FormModal";
import { useNotify } from "@/ui/notify";
import { changeOwners, changeStates, deleteItems } from "../api";
import { ITEM_STATES } from "../data-types";
import { useDatasetRefresh } from "../queries";
import type { DatasetVersionRef, ItemFilter, ItemState } from "../types";
import { chosenBy, countOf, NOTHING } from "./choice";
import type { Choice } from "./choice";
import { MemberSelect } from "./MemberSelect";
import styles from "./Items.module.css";

interface ItemsBulkBarProps {
  of: DatasetVersionRef;
  canWrite: boolean;
  choice: Choice;
  filter: ItemFilter;
  total: number;
  onChoice: (choice: Choice) => void;
}

export function ItemsBulkBar({ of, canWrite, choice, filter, total, onChoice }: ItemsBulkBarProps) {
  const { t } = useTranslation(["datasets", "common"]);
  const format = useFormat();
  const confirm = useConfirm();
  const notify = useNotify();
  const refresh = useDatasetRefresh();
  const [isBusy, setBusy] = useState(false);
  const [isAssigning, setAssigning] = useState(false);
  const count = countOf(choice, total);
  const chosen = chosenBy(choice, filter);

  /** What is many goes on in the background; the page then follows it by its job. */
  const done = ({ changed, job }: { changed: number; job?: string | null }) => {
    onChoice(NOTHING);
    notify.done(job ? t("items.inBackground") : t("items.changed", { count: changed }));
    void refresh.dataset(of);
  };
  const setState = async (state: ItemState) => {
    setBusy(true);
    try {
      done(await changeStates(of, chosen, state));
    } catch (error) {
      notify.failed(error);
    } finally {
      setBusy(false);
    }
  };
  const remove = () =>
    confirm({
      title: t("items.deleteTitle", { count }),
      text: t("items.deleteText"),
      okText: t("common:action.delete"),
      onConfirm: async () => done(await deleteItems(of, chosen)),
    });
  return (
    <div className={styles.bulk} role="region" aria-label={t("common:list.selection")}>
      <strong>{t("common:list.selected", { count })}</strong>
      {!choice.isAll && total > choice.seqs.size && (
        <Button size="small" type="link" onClick={() => onChoice({ seqs: new Set(), isAll: true })}>
          {t("items.selectAll", { number: format.number(total) })}
        </Button>
      )}
      <Dropdown trigger={["click"]} menu={{ items: ITEM_STATES.map((state) => ({ key: state, label: t(`itemState.${state}`), onClick: () => void setState(state) })) }}>
        <Button size="small" loading={isBusy} icon={<DownOutlined aria-hidden />} iconPlacement="end">
          {t("items.setState")}
        </Button>
      </Dropdown>
      {canWrite && (
        <>
          <Button size="small" icon={<UserOutlined aria-hidden />} onClick={() => setAssigning(true)}>
            {t("items.assign")}
          </Button>
          <Button size="small" danger icon={<DeleteOutlined aria-hidden />} onClick={remove}>
            {t("common:action.delete")}
          </Button>
        </>
      )}
      <Button size="small" type="text" onClick={() => onChoice(NOTHING)}>
        {t("common:list.clearSelection")}
      </Button>
      {isAssigning && (
        <FormModal<{ owner?: string }>
          title={t("items.assignTitle", { count })}
          submitText={t("items.assign")}
          initialValues={{}}
          onSubmit={async ({ owner }) => done(await changeOwners(of, chosen, owner ?? null))}
          onClose={() => setAssigning(false)}
        >
          <Form.Item name="owner" label={t("items.owner")} extra={t("items.assignHint")}>
            <MemberSelect project={of.project} />
          </Form.Item>
        </FormModal>
      )}
    </div>
  );
}
