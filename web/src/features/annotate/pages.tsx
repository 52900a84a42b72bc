import type { FeaturePage } from "@/app/rooms";

export const annotatePages: FeaturePage[] = [
  {
    scope: "project",
    path: "datasets/:dataset/versions/:version/annotate",
    permission: "dataset.read",
    crumb: { label: "page.annotate" },
    isFullWindow: true,
    load: () => import("./AnnotatePage"),
  },
];
