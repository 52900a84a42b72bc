import { DeleteOutlined, RedoOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useProjectPermission } from "@/features/projects/current-project";
import { useConfirm } from "@/ui/confirm";
import type { RowAction } from "@/ui/list/types";
import { useNotify } from "@/ui/notify";
import { buildImage, deleteImage } from "./api";
import { imagesKey, imageTitle } from "./queries";
import type { ImageView } from "./types";

/** What can be done with an image of this project. */
export function useImageActions(project: string, onDeleted?: () => void): (image: ImageView) => RowAction[] {
  const { t } = useTranslation(["images", "common"]);
  const canWrite = useProjectPermission(project, "image.write");
  const canDelete = useProjectPermission(project, "image.delete");
  const client = useQueryClient();
  const confirm = useConfirm();
  const notify = useNotify();
  const changed = () => client.invalidateQueries({ queryKey: imagesKey(project) });

  const build = async (image: ImageView) => {
    try {
      await buildImage(project, image.id);
      await changed();
      notify.done(t("build.started", { name: imageTitle(image) }));
    } catch (error) {
      notify.failed(error);
    }
  };
  const remove = (image: ImageView) =>
    confirm({
      title: t("delete.title", { name: imageTitle(image) }),
      text: t("delete.text"),
      okText: t("common:action.delete"),
      onConfirm: async () => {
        await deleteImage(project, image.id);
        onDeleted?.();
        await changed();
        notify.done(t("delete.done", { name: imageTitle(image) }));
      },
    });
  return (image) => {
    const canBuild = canWrite && image.kind === "python" && (image.state === "failed" || image.state === "not_made");
    return [
      ...(canBuild ? [{ key: "build", label: image.state === "failed" ? t("build.again") : t("build.action"), icon: <RedoOutlined aria-hidden />, onClick: () => void build(image) }] : []),
      ...(canDelete
        ? [
            {
              key: "delete",
              label: t("common:action.delete"),
              icon: <DeleteOutlined aria-hidden />,
              isDanger: true,
              disabledReason: image.is_builtin ? t("delete.builtin") : undefined,
              onClick: () => remove(image),
            },
          ]
        : []),
    ];
  };
}
