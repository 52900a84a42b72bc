import { DownOutlined } from "@ant-design/icons";
import { Button, Dropdown, Tooltip } from "antd";
import { useTranslation } from "react-i18next";
import type { RowAction } from "./list/types";

/** The actions of a thing's page: the first as buttons, the rest folded; a refused one says why. */
export function ActionButtons({ actions, shown = 2 }: { actions: RowAction[]; shown?: number }) {
  const { t } = useTranslation();
  const open = actions.slice(0, shown);
  const folded = actions.slice(shown);
  return (
    <>
      {open.map((action) => (
        <Tooltip key={action.key} title={action.disabledReason}>
          <Button icon={action.icon} danger={action.isDanger} disabled={action.disabledReason !== undefined} onClick={action.onClick}>
            {action.label}
          </Button>
        </Tooltip>
      ))}
      {folded.length > 0 && (
        <Dropdown
          trigger={["click"]}
          placement="bottomRight"
          menu={{
            items: folded.map((action) => ({
              key: action.key,
              icon: action.icon,
              danger: action.isDanger,
              disabled: action.disabledReason !== undefined,
              label: action.disabledReason ? <Tooltip title={action.disabledReason}>{action.label}</Tooltip> : action.label,
              onClick: action.onClick,
            })),
          }}
        >
          <Button icon={<DownOutlined aria-hidden />} iconPlacement="end">
            {t("action.more")}
          </Button>
        </Dropdown>
      )}
    </>
  );
}
