import { DeleteOutlined, RedoOutlined, StopOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { isFailure } from "@/api/failure";
import type { ApiFailure } from "@/api/failure";
import { useProjectPermission } from "@/features/projects/current-project";
import { useConfirm } from "@/ui/confirm";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { buildImage, deleteImage, stopBuild } from "./api";
import { imagesKey } from "./queries";
import type { ImageView } from "./types";
import styles from "./Images.module.css";

/** What can be done with an image of this project. */
export function useImageActions(project: string, onDeleted?: () => void): (image: ImageView) => RowAction[] {
  const { t } = useTranslation(["images", "common"]);
  const canWrite = useProjectPermission(project, "image.write");
  const canDelete = useProjectPermission(project, "image.delete");
  const client = useQueryClient();
  const confirm = useConfirm();
  const notify = useNotify();
  const changed = () => client.invalidateQueries({ queryKey: imagesKey(project) });

  const act = async (call: (project: string, id: string) => Promise<unknown>, image: ImageView, text: string) => {
    try {
      await call(project, image.id);
      await changed();
      notify.done(text);
    } catch (error) {
      notify.failed(error);
    }
  };
  const remove = (image: ImageView, force = false) =>
    confirm({
      title: force ? t("delete.forceTitle", { name: image.reference }) : t("delete.title", { name: image.reference }),
      text: force ? t("delete.forceText") : t("delete.text"),
      okText: force ? t("delete.force") : t("common:action.delete"),
      explain: (error, close) => isFailure(error, "image_in_use") && <InUse error={error} onForce={() => (close(), remove(image, true))} />,
      onConfirm: async () => {
        await deleteImage(project, image.id, force);
        onDeleted?.();
        await changed();
        notify.done(t("delete.done", { name: image.reference }));
      },
    });
  return (image) => {
    const isOurs = canWrite && image.kind === "python" && !image.builtin;
    return [
      ...(isOurs && image.state === "building" ? [{ key: "stop", label: t("build.stop"), icon: <StopOutlined aria-hidden />, onClick: () => void act(stopBuild, image, t("build.stopped")) }] : []),
      ...(isOurs && image.state !== "building" ? [{ key: "build", label: t("build.again"), icon: <RedoOutlined aria-hidden />, onClick: () => void act(buildImage, image, t("build.started", { name: image.reference })) }] : []),
      ...(canDelete
        ? [
            {
              key: "delete",
              label: t("common:action.delete"),
              icon: <DeleteOutlined aria-hidden />,
              isDanger: true,
              disabledReason: image.builtin ? t("delete.builtin") : undefined,
              onClick: () => remove(image),
            },
          ]
        : []),
    ];
  };
}

/** What runs in the image, and a way to delete it all the same. */
function InUse({ error, onForce }: { error: ApiFailure; onForce: () => void }) {
  const { t } = useTranslation("images");
  const users = (error.body.details ?? []) as { id: string; name: string }[];
  return (
    <>
      <ul className={styles.uses}>
        {users.map((user) => (
          <li key={user.id}>{user.name}</li>
        ))}
      </ul>
      <Button size="small" danger onClick={onForce}>
        {t("delete.force")}
      </Button>
    </>
  );
}
