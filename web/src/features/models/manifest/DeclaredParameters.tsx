/** In the form of a task: the parameters that the chosen algorithm says it takes. */
import { useQuery } from "@tanstack/react-query";
import { Form } from "antd";
import { useEffect, useEffectEvent } from "react";
import { useTranslation } from "react-i18next";
import { parseRef } from "@/features/workloads/asset-ref";
import { manifestQuery } from "../queries";
import type { Manifest } from "../types";
import { DECLARED, settled } from "./declared-values";
import type { Settling } from "./declared-values";
import { ManifestFields } from "./ManifestFields";

export function DeclaredParameters({ project }: { project: string }) {
  const { t } = useTranslation("models");
  const manifest = useManifest(project);
  const form = Form.useFormInstance<Settling>();
  const settle = useEffectEvent((found: Manifest | null) => form.setFieldsValue(settled(form.getFieldsValue(true) as Settling, found)));
  useEffect(() => settle(manifest), [manifest]);
  if (!manifest || manifest.parameters.length === 0) return null;
  return (
    <>
      <p className="tm-muted">{t("train.from", { name: manifest.title })}</p>
      <ManifestFields field={DECLARED} parameters={manifest.parameters} />
    </>
  );
}

function useManifest(project: string): Manifest | null {
  const chosen = Form.useWatch("algorithm") as string | null | undefined;
  const { isPublic, name, version } = parseRef(chosen ?? "");
  const found = useQuery({ ...manifestQuery({ project: isPublic ? "public" : project, algorithm: name, version: version === null ? "latest" : String(version) }), enabled: name !== "" });
  return (name !== "" && found.data) || null;
}
