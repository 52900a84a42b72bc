// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { listReplicas } from "@/features/services/api";
import { ReplicasTab } from "@/features/services/ReplicasTab";
import type { ReplicaView } from "@/features/services/types";
import { terminalPermission } from "@/features/terminal/permission";
import { startTexts } from "@/i18n";
import { renderPage } from "../../ui/render";

const held = vi.hoisted(() => ({ permissions: [] as string[] }));

vi.mock("@/features/services/api", async (original) => ({ ...(await original<object>()), listReplicas: vi.fn() }));
vi.mock("@/features/projects/current-project", async (original) => ({
  ...(await original<object>()),
  useProjectPermission: (_: string, permission: string) => held.permissions.includes(permission),
}));

const REPLICA: ReplicaView = { id: "r1", name: "boats-1", role: "production", number: 1, state: "ready", reason: "", workload_id: "w1", machine: "here", created_at: "2026-01-01T00:00:00Z", ready_at: "2026-01-01T00:00:05Z", ended_at: null };

beforeAll(() => startTexts());
afterEach(cleanup);

async function shown() {
  vi.mocked(listReplicas).mockResolvedValue({ items: [REPLICA], next: null, total: 1, total_capped: false });
  renderPage(<ReplicasTab of={{ project: "lab", service: "boats" }} />);
  await screen.findByText("boats-1");
}

describe("the terminal of a replica", () => {
  it("is for who may change the service, as the server has it", async () => {
    held.permissions = ["service.write"];
    await shown();
    expect(screen.getByRole("link", { name: "Terminal in boats-1" }).getAttribute("href")).toBe("/p/lab/workloads/w1/terminal");
  });

  it("is not for who may only write workloads", async () => {
    held.permissions = ["workload.write"];
    await shown();
    expect(screen.queryByRole("link", { name: /Terminal/ })).toBeNull();
  });

  it("of everything else takes writing workloads", () => {
    expect(["replica", "training", "environment"].map(terminalPermission)).toEqual(["service.write", "workload.write", "workload.write"]);
  });
});
