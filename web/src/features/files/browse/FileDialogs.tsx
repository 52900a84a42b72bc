/** The small forms of the file browser: new file, new folder, rename, move. */
import { Form, Input, Tree } from "antd";
import type { Rule } from "antd/es/form";
import { useEffect, useRef, useState } from "react";
import type { FocusEvent } from "react";
import { useTranslation } from "react-i18next";
import { FormModal } from "@/ui/form/FormModal";
import { baseName, isWithin, joinPath, parentOf, pathProblem } from "../paths";
import type { VersionRef } from "../version-ref";
import { readFolders } from "./tree-data";
import styles from "./Browse.module.css";

function usePathRule(folder: string): Rule {
  const { t } = useTranslation("files");
  return {
    validator: (_rule, value: string | undefined) => {
      const problem = pathProblem(joinPath(folder, (value ?? "").trim()) || "");
      const isBlank = (value ?? "").trim() === "";
      const rule = isBlank ? "empty" : problem;
      return rule ? Promise.reject(new Error(t(`path.${rule}`))) : Promise.resolve();
    },
  };
}

interface NameDialogProps {
  title: string;
  label: string;
  submitText: string;
  folder: string;
  initialName?: string;
  hint?: string;
  onSubmit: (path: string) => Promise<unknown>;
  onClose: () => void;
}

/** Asks for a name in `folder`; `a/b` makes the folders on the way. */
export function NameDialog({ title, label, submitText, folder, initialName = "", hint, onSubmit, onClose }: NameDialogProps) {
  const rule = usePathRule(folder);
  const isSelected = useRef(false);
  // Renaming usually keeps the extension. Once: the dialog may focus again when one has begun to type.
  const selectStem = ({ target }: FocusEvent<HTMLInputElement>) => {
    if (isSelected.current) return;
    isSelected.current = true;
    const dot = target.value.lastIndexOf(".");
    target.setSelectionRange(0, dot > 0 ? dot : target.value.length);
  };
  return (
    <FormModal<{ path: string }>
      title={title}
      submitText={submitText}
      initialValues={{ path: initialName }}
      onSubmit={({ path }) => onSubmit(joinPath(folder, path.trim().normalize("NFC")))}
      onClose={onClose}
    >
      <Form.Item name="path" label={label} required rules={[rule]} extra={hint}>
        <Input autoFocus autoComplete="off" spellCheck={false} onFocus={selectStem} />
      </Form.Item>
    </FormModal>
  );
}

interface RenameDialogProps {
  path: string;
  onSubmit: (to: string) => Promise<unknown>;
  onClose: () => void;
}

export function RenameDialog({ path, onSubmit, onClose }: RenameDialogProps) {
  const { t } = useTranslation("files");
  return (
    <NameDialog
      title={t("rename.title", { name: baseName(path) })}
      label={t("rename.label")}
      submitText={t("rename.submit")}
      folder={parentOf(path)}
      initialName={baseName(path)}
      onSubmit={(to) => (to === path ? Promise.resolve() : onSubmit(to))}
      onClose={onClose}
    />
  );
}

interface MoveDialogProps {
  versionRef: VersionRef;
  paths: string[];
  onSubmit: (folder: string) => Promise<unknown>;
  onClose: () => void;
}

export function MoveDialog({ versionRef, paths, onSubmit, onClose }: MoveDialogProps) {
  const { t } = useTranslation("files");
  return (
    <FormModal<{ folder: string }>
      title={t("move.title", { count: paths.length })}
      submitText={t("move.submit")}
      initialValues={{ folder: "" }}
      onSubmit={({ folder }) => onSubmit(folder)}
      onClose={onClose}
    >
      <Form.Item name="folder" label={t("move.label")}>
        <FolderPicker versionRef={versionRef} isRefused={(folder) => paths.some((path) => isWithin(path, folder))} />
      </Form.Item>
    </FormModal>
  );
}

interface FolderNode {
  key: string;
  title: string;
  disabled: boolean;
  children?: FolderNode[];
}

interface FolderPickerProps {
  versionRef: VersionRef;
  isRefused: (folder: string) => boolean;
  value?: string;
  onChange?: (folder: string) => void;
}

/** The folders of a version as a tree, read as it is opened. The root is the empty path, shown as the version itself. */
function FolderPicker({ versionRef, isRefused, value = "", onChange }: FolderPickerProps) {
  const { t } = useTranslation("files");
  const [children, setChildren] = useState<Record<string, { name: string; path: string }[]>>({});
  const load = async (path: string) => {
    const folders = await readFolders(versionRef, path);
    setChildren((known) => ({ ...known, [path]: folders }));
  };
  useEffect(() => {
    let isGone = false;
    void readFolders(versionRef, "").then((folders) => {
      if (!isGone) setChildren((known) => ({ ...known, "": folders }));
    });
    return () => {
      isGone = true;
    };
  }, [versionRef]);

  const nodeOf = (path: string, title: string): FolderNode => ({
    key: path,
    title,
    disabled: path !== "" && isRefused(path),
    children: children[path]?.map((folder) => nodeOf(folder.path, folder.name)),
  });
  return (
    <div className={styles.tree}>
      <Tree.DirectoryTree
        aria-label={t("move.label")}
        treeData={[nodeOf("", t("move.root"))]}
        defaultExpandedKeys={[""]}
        selectedKeys={[value]}
        expandAction={false}
        loadData={(node) => load(String(node.key))}
        onSelect={(keys) => onChange?.(String(keys[0] ?? ""))}
      />
    </div>
  );
}
