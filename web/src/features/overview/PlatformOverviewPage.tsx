import { useTranslation } from "react-i18next";
import { useMeta } from "@/features/session/me";
import { PageHeader } from "@/ui/PageHeader";
import { MachinesPanel } from "./MachinesPanel";
import { Overview } from "./Overview";
import { RefreshSelect, useRefreshInterval } from "./refresh";

export default function PlatformOverviewPage() {
  const { t } = useTranslation("overview");
  const meta = useMeta();
  const [seconds, setSeconds] = useRefreshInterval();
  return (
    <section>
      <PageHeader title={t("platform")} description={meta && t("version", { version: meta.version })} actions={<RefreshSelect value={seconds} onChange={setSeconds} />} />
      <Overview project={null} refreshS={seconds} />
      <MachinesPanel refreshS={seconds} />
    </section>
  );
}
