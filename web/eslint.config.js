import js from "@eslint/js";
import globals from "globals";
import jsxA11y from "eslint-plugin-jsx-a11y";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["node_modules", "dist", "src/api/schema.d.ts"] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  jsxA11y.flatConfigs.recommended,
  reactHooks.configs.flat["recommended-latest"],
  {
    languageOptions: { globals: { ...globals.browser } },
    rules: {
      "no-console": "error",
      eqeqeq: "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-explicit-any": "error",
      // An icon names itself to screen readers ("down More") unless it is hidden or given a name that means something.
      "no-restricted-syntax": [
        "error",
        {
          selector: "JSXOpeningElement[name.name=/(Outlined|Filled)$/]:not(:has(> JSXAttribute[name.name=/^aria-(hidden|label)$/]))",
          message: "Hide the icon from screen readers (aria-hidden) or name it (aria-label).",
        },
      ],
      // Focus goes to the first field of a dialog the user has just asked for.
      "jsx-a11y/no-autofocus": "off",
    },
  },
  { files: ["public/**/*.js"], languageOptions: { sourceType: "script" } },
);
