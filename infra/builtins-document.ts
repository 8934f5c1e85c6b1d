import type { BuiltinRow } from '#shared/rego/index.ts';

const HEAD = `# Built-in functions of policies

This page is generated from the engine's registry by \`npx node infra/write-builtins-document.ts\`. A test fails if the
page is out of date. A policy that calls any other function is refused when it is compiled, with file, line and column. All functions are
pure: none of them reads the network, files or the environment. \`time.now_ns\` returns the time for which the evaluation was
requested, also in a replay. Operators have the names of their functions: \`a + b\` is \`plus\`.
`;

const DIFFERENCES = `
## Known differences from OPA

OPA is the reference of the language; \`shared/rego/README.md\` names its version. These answers differ from OPA's for a reason:

| Here | OPA | Reason |
|---|---|---|
| data at the path of a rule is refused when the policy is compiled | loads both if they come separately; the data hides the rule | files and parameters of a policy come together, and a hidden rule is a mistake |
| a comparison or a reference that can never hold is refused only if the policy's text shows it; else it is undefined | refuses it if the types of rules and nested values show it | the compiler knows types of constants, variables and functions, not those of rules and elements |
| some expressions in templates (\`$"…"\`) that read variables of the body are accepted | refuses them, because it looks at the templates before it orders the body | the variables have values |
| a number beyond 10 to the power of 1,000 is refused, also in \`units.parse\` | has larger limits | exact numbers must not exhaust memory |
`;

/** Returns the text of `docs/builtins.md`: the functions that policies may call, grouped by theme. */
export function builtinsDocument(rows: readonly BuiltinRow[]): string {
  const sections = [...Map.groupBy(rows, ({ theme }) => theme)].map(([theme, functions]) =>
    [
      ...['', `## ${capital(theme)}`, '', '| Function | Arguments and result |', '|---|---|'],
      ...functions.map(({ name, signature }) => `| \`${name}\` | ${cellText(signature)} |`),
    ].join('\n'),
  );
  return `${HEAD}${sections.join('\n')}\n${DIFFERENCES}`;
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Escapes `|`, which joins alternatives in a signature and would end a cell of the table. */
const cellText = (text: string) => text.replaceAll('|', '\\|');
