/** From a model version, a package version or a finished run to a service: one dialog, everything filled in. */
import { CloudUploadOutlined } from "@ant-design/icons";
import { Button, Tooltip } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { useProjectPermission } from "@/features/projects/current-project";
import { FormModal } from "@/ui/form/FormModal";
import { NameField } from "@/ui/form/fields";
import { useNotify } from "@/ui/notify";
import { createService } from "./api";
import { SizeFields } from "./DeployFields";
import { deployPath, servicePath, useRefreshServices } from "./queries";
import { bodyOf, newService } from "./service-values";
import type { ServiceValues } from "./service-values";
import type { DeploySource } from "./types";

interface DeployButtonProps {
  project: string;
  source: DeploySource;
  /** What the service is called unless somebody says otherwise. */
  name: string;
  disabledReason?: string;
}

export function DeployButton({ project, source, name, disabledReason }: DeployButtonProps) {
  const { t } = useTranslation("services");
  const canWrite = useProjectPermission(project, "service.write");
  const [isOpen, setOpen] = useState(false);
  const refusal = canWrite ? disabledReason : t("notAllowed");
  return (
    <>
      <Tooltip title={refusal}>
        <Button icon={<CloudUploadOutlined aria-hidden />} disabled={refusal !== undefined} onClick={() => setOpen(true)}>
          {t("deploy.action")}
        </Button>
      </Tooltip>
      {isOpen && <DeployForm project={project} source={source} name={name} onClose={() => setOpen(false)} />}
    </>
  );
}

function DeployForm({ project, source, name, onClose }: Omit<DeployButtonProps, "disabledReason"> & { onClose: () => void }) {
  const { t } = useTranslation("services");
  const navigate = useNavigate();
  const notify = useNotify();
  const refresh = useRefreshServices(project);
  const what = Object.values(source)[0] as string;
  const initial: ServiceValues = { ...newService(source), name };
  return (
    <FormModal<ServiceValues>
      title={t("deploy.title", { name: what })}
      submitText={t("deploy.action")}
      initialValues={initial}
      onSubmit={async (values) => {
        const made = await createService(project, bodyOf({ ...initial, ...values }));
        await refresh();
        notify.done(t("created", { name: made.name }));
        void navigate(servicePath({ project, service: made.name }));
      }}
      onClose={onClose}
    >
      <p className="tm-muted" style={{ marginBottom: 16 }}>
        {t("deploy.text")} <Link to={deployPath(project, source)}>{t("deploy.more")}</Link>
      </p>
      <NameField label={t("deploy.name")} />
      <SizeFields />
    </FormModal>
  );
}
