import { useTranslation } from "react-i18next";

/** Where an import came from, in a few words. */
export function useSourceText(): (source: Record<string, unknown>) => string {
  const { t } = useTranslation("datasets");
  return (source) => {
    const text = (key: string) => (typeof source[key] === "string" || typeof source[key] === "number" ? String(source[key]) : "");
    switch (source.type) {
      case "upload": {
        const files = Array.isArray(source.files) ? (source.files as { name?: unknown }[]) : [];
        const count = Number(source.count ?? files.length);
        return count === 1 ? String(files[0]?.name ?? "") : t("imports.of.upload", { count });
      }
      case "server":
        return text("path");
      case "s3":
        return `s3://${text("bucket")}/${text("prefix")}`;
      case "mysql":
      case "postgresql":
        return t("imports.of.database", { database: text("database"), host: text("host") });
      case "addresses":
        return t("imports.of.addresses", { count: Number(source.count ?? 0) });
      case "dataset":
        return `${source.project ? `${text("project")}/` : ""}${text("dataset")}@${text("version")}`;
      default:
        return text("type");
    }
  };
}
