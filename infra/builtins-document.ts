import type { BuiltinRow } from '#shared/rego/index.ts';

const HEAD = `# Built-in functions of policies

Generated from the engine's registry by \`node infra/write-builtins-document.ts\`; a test says when it is stale. What is
not in here is refused when the policy is compiled, with file, line and column. All of them are pure: none reads the
network, files or the environment, and \`time.now_ns\` is the instant that the evaluation is for, the same in a replay.
Operators stand under the names of their functions: \`a + b\` is \`plus\`.
`;

/** Returns the text of `docs/builtins.md`: the functions that policies may call, grouped by theme. */
export function builtinsDocument(rows: readonly BuiltinRow[]): string {
  const sections = [...Map.groupBy(rows, ({ theme }) => theme)].map(([theme, functions]) =>
    [
      ...['', `## ${capital(theme)}`, '', '| Function | Takes and gives |', '|---|---|'],
      ...functions.map(({ name, signature }) => `| \`${name}\` | ${cellText(signature)} |`),
    ].join('\n'),
  );
  return `${HEAD}${sections.join('\n')}\n`;
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Escapes `|`, which joins alternatives in a signature and would end a cell of the table. */
const cellText = (text: string) => text.replaceAll('|', '\\|');
