import { ACCESS_PATTERNS } from '#infra/access-patterns.ts';
import type { Example } from '#shared/table/access-patterns.ts';

const HEAD = `# The table: every access pattern

Generated from \`infra/access-patterns.ts\` by \`node infra/write-table-document.ts\`; a test says when it is stale.

One table with the keys \`pk\` and \`sk\`, no index. Every key of an organization begins with its id and the record family;
the directory, under \`@\`, is what is looked up before an organization is known. A key without \`sk\` is a partition that is
read in order. Reads are strongly consistent.
`;

/** Returns the text of a key: the partition key, and the sort key if there is one. */
export const keyPattern = (key: Example): string =>
  (typeof key === 'string' ? key : `${key.pk} / ${key.sk}`).replace(/[0-9a-f]{64}/, '{sha-256}');

const code = (text: string) => `\`${text}\``;

/** Returns the text of `docs/table.md`: a table of access patterns per record family. */
export function tableDocument(): string {
  const families = Map.groupBy(ACCESS_PATTERNS, ({ family }) => family);
  const sections = [...families].map(([family, patterns]) =>
    [
      `\n## ${family}\n`,
      '| Question | Key function | Key | Cost |',
      '|---|---|---|---|',
      ...patterns.map(
        ({ question, key, example, cost }) =>
          `| ${question} | ${code(key)} | ${code(keyPattern(example).replaceAll('|', '\\|'))} | ${cost} |`,
      ),
    ].join('\n'),
  );
  return `${HEAD}${sections.join('\n')}\n`;
}
