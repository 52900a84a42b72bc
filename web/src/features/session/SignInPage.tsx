import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router";
import { meQuery } from "./me";
import { SessionFrame } from "./SessionFrame";
import { SignInForm } from "./SignInForm";

export default function SignInPage() {
  const { t } = useTranslation("session");
  const navigate = useNavigate();
  const client = useQueryClient();
  const [params] = useSearchParams();
  const next = ownPath(params.get("next"));

  // Somebody who is signed in already has no business here.
  useEffect(() => {
    let isGone = false;
    client.fetchQuery(meQuery).then(
      () => !isGone && navigate(next, { replace: true }),
      () => undefined, // nobody is signed in, which is what this page is for
    );
    return () => {
      isGone = true;
    };
  }, [client, navigate, next]);

  return (
    <SessionFrame title={t("title")} text={t("text")}>
      <SignInForm
        onSignedIn={(me) => {
          client.clear();
          client.setQueryData(meQuery.queryKey, me);
          navigate(next, { replace: true });
        }}
      />
    </SessionFrame>
  );
}

/** Only a path of this application is followed after sign-in, never another site. */
function ownPath(next: string | null): string {
  return next && /^\/(?![/\\])/.test(next) ? next : "/";
}
