import { ShopOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

export const cataloguePages: FeaturePage[] = [
  {
    scope: "project",
    path: "catalogue",
    permission: "model.read",
    nav: { label: "page.catalogue", icon: <ShopOutlined aria-hidden /> },
    crumb: { label: "page.catalogue" },
    load: () => import("./CataloguePage"),
  },
];
