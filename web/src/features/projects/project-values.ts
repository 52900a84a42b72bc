/** What the project forms hold, and how it becomes what the server takes. */
import type { components } from "@/api/schema";
import type { ProjectView } from "@/api/types";

export interface ProjectValues {
  name: string;
  description: string;
  storage_limit_bytes: number | null;
  quota: {
    cpu: number | null;
    memory_bytes: number | null;
    accelerators: { name: string; count: number }[];
  };
}

export const NEW_PROJECT: ProjectValues = {
  name: "",
  description: "",
  storage_limit_bytes: null,
  quota: { cpu: null, memory_bytes: null, accelerators: [] },
};

export function valuesOf(project: ProjectView): ProjectValues {
  const { cpu = null, memory_bytes = null, accelerators = {} } = project.quota;
  return {
    name: project.name,
    description: project.description,
    storage_limit_bytes: project.storage_limit_bytes ?? null,
    quota: { cpu, memory_bytes, accelerators: Object.entries(accelerators).map(([name, count]) => ({ name, count })) },
  };
}

export function bodyOf({ quota, ...values }: ProjectValues): components["schemas"]["ProjectCreate"] {
  const accelerators = Object.fromEntries(quota.accelerators.map(({ name, count }) => [name.trim(), count]));
  return {
    ...values,
    storage_limit_bytes: values.storage_limit_bytes ?? null,
    quota: { cpu: quota.cpu ?? null, memory_bytes: quota.memory_bytes ?? null, accelerators },
  };
}
