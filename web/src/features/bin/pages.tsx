import { DeleteOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

export const binPages: FeaturePage[] = [
  {
    scope: "project",
    path: "bin",
    permission: "bin.read",
    nav: { label: "page.bin", icon: <DeleteOutlined aria-hidden /> },
    crumb: { label: "page.bin" },
    load: () => import("./BinPage"),
  },
];
