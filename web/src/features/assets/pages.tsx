import type { FeaturePage } from "@/app/rooms";
import { KINDS } from "./kinds";
import type { KindDeclaration, PlainKind } from "./kinds";

/** The pages every kind of asset has. */
export function pagesOf(kind: PlainKind): FeaturePage[] {
  const declaration: KindDeclaration<PlainKind> = KINDS[kind];
  const { segment, icon } = declaration;
  const common = { scope: "project", permission: `${kind}.read` } as const;
  return [
    { ...common, path: segment, nav: { label: `page.${segment}`, icon }, crumb: { label: `page.${segment}` }, load: () => loadList(declaration) },
    { ...common, path: `${segment}/:asset`, crumb: { param: "asset" }, load: () => loadAsset(declaration) },
    { ...common, path: `${segment}/:asset/versions/:version`, crumb: { param: "version", text: "page.version" }, load: () => loadAsset(declaration) },
  ];
}

async function loadList(declaration: KindDeclaration<PlainKind>) {
  const { AssetsPage } = await import("./AssetsPage");
  return { default: () => <AssetsPage declaration={declaration} /> };
}

async function loadAsset(declaration: KindDeclaration<PlainKind>) {
  const { AssetPage } = await import("./AssetPage");
  return { default: () => <AssetPage declaration={declaration} /> };
}
