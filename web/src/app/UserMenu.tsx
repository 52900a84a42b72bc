import { LogoutOutlined, UserOutlined } from "@ant-design/icons";
import { Avatar, Button, Dropdown } from "antd";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { useMe, useSignOut } from "@/features/session/me";
import { useNotify } from "@/ui/notify";
import styles from "./Frame.module.css";

export function UserMenu() {
  const { t } = useTranslation("shell");
  const me = useMe();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const notify = useNotify();
  const shownName = me.display_name || me.name;

  const leave = async () => {
    try {
      await signOut();
      navigate("/sign-in");
    } catch (error) {
      notify.failed(error);
    }
  };
  const items = [
    {
      key: "who",
      type: "group" as const,
      label: (
        <span className={styles.userCard}>
          <strong>{shownName}</strong>
          <small>{me.mail || me.name}</small>
        </span>
      ),
    },
    { key: "account", icon: <UserOutlined aria-hidden />, label: <Link to="/account">{t("page.account")}</Link> },
    { type: "divider" as const, key: "divider" },
    { key: "leave", icon: <LogoutOutlined aria-hidden />, label: t("user.signOut"), onClick: () => void leave() },
  ];
  return (
    <Dropdown trigger={["click"]} placement="bottomRight" menu={{ items }}>
      <Button type="text" className={styles.user} aria-label={t("user.menu", { name: shownName })}>
        <Avatar size={28} className={styles.avatar}>
          {[...shownName][0]?.toUpperCase()}
        </Avatar>
      </Button>
    </Dropdown>
  );
}
