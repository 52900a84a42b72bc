import { useTranslation } from "react-i18next";
import { api, unwrap } from "@/api/client";
import { AuditList } from "./AuditList";

export default function PlatformAuditPage() {
  const { t } = useTranslation("audit");
  return (
    <AuditList
      listKey="audit"
      queryKey={["audit", "platform"]}
      description={t("platformText")}
      isAcrossProjects
      load={({ filters, ...query }) => unwrap(api.GET("/api/v1/audit", { params: { query: { ...query, ...filters } } }))}
    />
  );
}
