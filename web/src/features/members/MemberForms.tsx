import { Form, Select } from "antd";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "@/api/client";
import type { MembershipView } from "@/api/types";
import { useProjectRoles, useRoleTexts } from "@/features/roles/roles";
import { FormModal } from "@/ui/form/FormModal";

interface AddValues {
  subject: string;
  role: string;
}

/** Adds a user or a whole group to the project. */
export function MemberAddForm({ project, onClose, onSaved }: { project: string; onClose: () => void; onSaved: (name: string) => void }) {
  const { t } = useTranslation("members");
  return (
    <FormModal<AddValues>
      title={t("addTo", { project })}
      submitText={t("add")}
      initialValues={{ role: "member" }}
      onSubmit={async ({ subject, role }) => {
        const [kind, id] = subject.split(":") as ["user" | "group", string];
        const member = await unwrap(api.POST("/api/v1/projects/{project}/members", { params: { path: { project } }, body: { [kind]: id, role } }));
        onSaved(member.name);
      }}
      onClose={onClose}
    >
      <Form.Item name="subject" label={t("subject")} required rules={[{ required: true, message: t("chooseSubject") }]}>
        <CandidateSelect project={project} />
      </Form.Item>
      <RoleField />
    </FormModal>
  );
}

export function MemberRoleForm({ project, member, onClose, onSaved }: { project: string; member: MembershipView; onClose: () => void; onSaved: () => void }) {
  const { t } = useTranslation(["members", "common"]);
  return (
    <FormModal<{ role: string }>
      title={t("roleOf", { name: member.name })}
      submitText={t("common:action.save")}
      initialValues={{ role: member.role.name }}
      onSubmit={async (body) => {
        await unwrap(api.PATCH("/api/v1/projects/{project}/members/{membership}", { params: { path: { project, membership: member.id } }, body }));
        onSaved();
      }}
      onClose={onClose}
    >
      <RoleField />
    </FormModal>
  );
}

function CandidateSelect({ project, id, value, onChange }: { project: string; id?: string; value?: string; onChange?: (subject: string) => void }) {
  const { t } = useTranslation(["members", "common"]);
  const [q, setQ] = useState("");
  const found = useQuery({
    queryKey: ["members", project, "candidates", q],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{project}/candidates", { params: { path: { project }, query: { q: q || undefined } } })),
    placeholderData: keepPreviousData,
  });
  const options = (["user", "group"] as const).map((kind) => ({
    label: t(`kind.${kind}`),
    options: (found.data?.items ?? [])
      .filter((one) => one.subject_kind === kind)
      .map((one) => ({ value: `${kind}:${one.id}`, label: one.display_name ? `${one.name} · ${one.display_name}` : one.name })),
  }));
  return (
    <Select
      id={id}
      autoFocus
      value={value}
      onChange={onChange}
      showSearch={{ filterOption: false, onSearch: setQ }}
      loading={found.isFetching}
      placeholder={t("searchSubject")}
      options={options.filter((group) => group.options.length > 0)}
      notFoundContent={found.isFetching ? t("common:loading") : t("noCandidates")}
    />
  );
}

function RoleField() {
  const { t } = useTranslation("members");
  const texts = useRoleTexts();
  const roles = useProjectRoles();
  const options = (roles.data ?? []).map((role) => ({ value: role.name, label: texts.nameOf(role), text: texts.descriptionOf(role) }));
  return (
    <Form.Item name="role" label={t("role")} required rules={[{ required: true, message: t("chooseRole") }]}>
      <Select
        loading={roles.isPending}
        options={options}
        optionRender={({ data }) => (
          <div>
            {data.label}
            <div className="tm-muted" style={{ fontSize: 12, whiteSpace: "normal" }}>
              {data.text}
            </div>
          </div>
        )}
      />
    </Form.Item>
  );
}
