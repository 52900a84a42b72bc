import type { FeaturePage } from "@/app/rooms";

export const autoPages: FeaturePage[] = [
  {
    scope: "project",
    path: "datasets/:dataset/versions/:version/auto",
    permission: "dataset.write",
    crumb: { label: "page.auto" },
    load: () => import("./AutoMakePage"),
  },
];
