import type { BuiltinRow } from '#shared/rego/index.ts';

const HEAD = `# Built-in functions of policies

This page is generated from the engine's registry by \`npx node infra/write-builtins-document.ts\`. A test fails if the
page is out of date. A policy that calls any other function is refused when it is compiled, with file, line and column. All functions are
pure: none of them reads the network, files or the environment. \`time.now_ns\` returns the time for which the evaluation was
requested, also in a replay. Operators have the names of their functions: \`a + b\` is \`plus\`.
`;

/** The document `docs/builtins.md`: the functions that policies may call, by theme. */
export function builtinsDocument(rows: readonly BuiltinRow[]): string {
  const sections = [...Map.groupBy(rows, ({ theme }) => theme)].map(([theme, functions]) =>
    [
      ...['', `## ${capital(theme)}`, '', '| Function | Arguments and result |', '|---|---|'],
      ...functions.map(({ name, signature }) => `| \`${name}\` | ${inCell(signature)} |`),
    ].join('\n'),
  );
  return `${HEAD}${sections.join('\n')}\n`;
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Alternatives are joined by what would end a cell. */
const inCell = (text: string) => text.replaceAll('|', '\\|');
