import { ContainerOutlined } from "@ant-design/icons";
import type { FeaturePage } from "@/app/rooms";

export const imagePages: FeaturePage[] = [
  {
    scope: "project",
    path: "images",
    permission: "image.read",
    nav: { label: "page.images", icon: <ContainerOutlined aria-hidden /> },
    crumb: { label: "page.images" },
    load: () => import("./ImagesPage"),
  },
  { scope: "project", path: "images/new", permission: "image.write", crumb: { label: "page.newImage" }, load: () => import("./PythonImageMakePage") },
  { scope: "project", path: "images/:image", permission: "image.read", crumb: { label: "page.image" }, load: () => import("./ImagePage") },
];
