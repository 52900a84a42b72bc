/** A new version of a package: what it is made of, and what that comes to. */
import { Form, Skeleton } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { isNotFound } from "@/api/failure";
import { shortDigest } from "@/features/images/names";
import { useProjectName } from "@/features/projects/current-project";
import { CommandLine } from "@/ui/CommandLine";
import { ErrorState } from "@/ui/ErrorState";
import { useFailureText } from "@/ui/failure-text";
import { MakePage } from "@/ui/MakePage";
import { useNotify } from "@/ui/notify";
import { NotFound } from "@/ui/NotFound";
import { Problem } from "@/ui/Problem";
import { createPackageVersion } from "./api";
import type { PackageRef } from "./api";
import { packageQuery, packageVersionPath, packageVersionQuery, recipeCheckQuery, useRefreshPackages, packagePath } from "./queries";
import { recipeCommand } from "./recipe-command";
import { bodyOf, hasSomething, newRecipe, recipeOf, valuesOf } from "./recipe-values";
import type { RecipeValues } from "./recipe-values";
import { RecipeFields } from "./RecipeFields";
import { useSettled } from "./settled";
import styles from "./Packages.module.css";

const SETTLE_MS = 500;

export default function PackageMakePage() {
  const project = useProjectName();
  const { package: name = "" } = useParams();
  const [params] = useSearchParams();
  const from = Number(params.get("from")) || 0;
  const ref = { project, package: name };
  const found = useQuery(packageQuery(ref));
  const template = useQuery({ ...packageVersionQuery({ ...ref, version: from }), enabled: from > 0, refetchInterval: false });
  if (found.isPending || (from > 0 && template.isPending)) return <Skeleton active paragraph={{ rows: 10 }} />;
  if (isNotFound(found.error)) return <NotFound />;
  if (!found.data) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const model = params.get("model");
  const initial = template.data ? valuesOf(template.data.recipe) : newRecipe();
  return <RecipeForm of={ref} initial={model ? { ...initial, models: [model] } : initial} />;
}

function RecipeForm({ of, initial }: { of: PackageRef; initial: RecipeValues }) {
  const { t } = useTranslation("packages");
  const navigate = useNavigate();
  const notify = useNotify();
  const refresh = useRefreshPackages(of.project);
  const [form] = Form.useForm<RecipeValues>();
  const build = async () => {
    // Folded and hidden fields count too, which the submitted values leave out.
    const made = await createPackageVersion(of, bodyOf(form.getFieldsValue(true) as RecipeValues));
    await refresh();
    notify.done(t("build.started", { name: made.name }));
    void navigate(`${packageVersionPath({ ...of, version: made.number })}?tab=log`);
  };
  return (
    <MakePage<RecipeValues>
      title={t("make.title", { name: of.package })}
      form={form}
      initialValues={initial}
      submitText={t("make.submit")}
      onSubmit={build}
      onCancel={() => void navigate(packagePath(of))}
      summary={(values) => <Summary of={of} values={{ ...newRecipe(), ...values }} />}
      command={(values) => recipeCommand(of.project, of.package, { ...newRecipe(), ...values })}
    >
      <RecipeFields project={of.project} />
    </MakePage>
  );
}

/** What these values come to, as the server says it while they are chosen. */
function Summary({ of, values }: { of: PackageRef; values: RecipeValues }) {
  const { t } = useTranslation("packages");
  const failureText = useFailureText();
  const recipe = recipeOf(values);
  const key = JSON.stringify(recipe);
  const isSettled = useSettled(key, SETTLE_MS) === key;
  const isEmpty = !hasSomething(recipe);
  const check = useQuery({ ...recipeCheckQuery(of, recipe), enabled: isSettled && !isEmpty });
  if (isEmpty) return <p>{t("make.nothing")}</p>;
  if (check.isError) return <Problem type="warning" problem={failureText(check.error)} />;
  if (!check.data) return <p className="tm-muted">{t("make.checking")}</p>;
  const { server, protocol, has_grpc: hasGrpc, base_image: base, start, digest, same_as: same } = check.data;
  return (
    <>
      <p>{t(`serverText.${server}`)}</p>
      <p>{protocol === "v2" ? t(hasGrpc ? "make.v2grpc" : "make.v2") : t("make.http")}</p>
      <p className={styles.wrap}>{t("make.on", { image: base })}</p>
      {start && <CommandLine text={start} label={t("start")} />}
      <p className={styles.wrap}>{same.length > 0 ? t("make.same", { digest: shortDigest(digest), name: same[0] }) : t("make.digest", { digest: shortDigest(digest) })}</p>
    </>
  );
}
