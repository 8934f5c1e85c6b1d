import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

/** The files that tell a code host and an editor about this repository agree with the repository. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

interface Step {
  uses?: string;
  run?: string;
}
interface Workflow {
  permissions: Record<string, string>;
  jobs: Record<string, { steps: Step[] }>;
}

describe('the workflow of hosted CI', () => {
  const folder = '.github/workflows';
  const workflows = readdirSync(join(ROOT, folder)).map((name) => parse(textOf(`${folder}/${name}`)) as Workflow);
  const steps = workflows.flatMap(({ jobs }) => Object.values(jobs).flatMap((job) => job.steps));

  it('calls .ci/run once, and runs no other command', () => {
    expect(steps.filter(({ run }) => run !== undefined).map(({ run }) => run)).toEqual(['.ci/run']);
  });

  it('uses no action but the checkout, pinned to a commit', () => {
    const used = steps.flatMap(({ uses }) => (uses === undefined ? [] : [uses]));
    expect(used).toEqual([expect.stringMatching(/^actions\/checkout@[0-9a-f]{40}$/)]);
  });

  it('may read the repository and do nothing else', () => {
    expect(workflows.map(({ permissions }) => permissions)).toEqual([{ contents: 'read' }]);
  });
});

describe('.editorconfig', () => {
  /** The settings of each section, by its pattern; those before the first section are left out. */
  const sections = new Map(
    textOf('.editorconfig')
      .split(/^\[(?=.*\]$)/m)
      .slice(1)
      .map((text) => {
        const [pattern = '', ...lines] = text.split('\n');
        return [pattern.slice(0, -1), Object.fromEntries(lines.map((line) => line.split(' = ')))] as const;
      }),
  );

  it('says the same as the formatter', () => {
    const { formatter } = JSON.parse(textOf('biome.json')) as {
      formatter: { indentStyle: string; lineWidth: number; indentWidth?: number; lineEnding?: string };
    };
    expect(sections.get('*')).toMatchObject({
      indent_style: formatter.indentStyle,
      indent_size: String(formatter.indentWidth ?? 2),
      end_of_line: formatter.lineEnding ?? 'lf',
    });
    expect(sections.get('*.{ts,tsx,json}')).toMatchObject({ max_line_length: String(formatter.lineWidth) });
  });
});

describe('CODEOWNERS', () => {
  const rules = textOf('.github/CODEOWNERS')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(/\s+/));

  it('names a team for each path', () => {
    expect(rules.filter(([, ...owners]) => !owners.every((owner) => /^@[\w-]+\/[\w-]+$/.test(owner)))).toEqual([]);
    expect(rules.filter(([, ...owners]) => owners.length === 0)).toEqual([]);
  });

  it('names paths that exist', () => {
    const existing = new Set(
      readdirSync(ROOT, { withFileTypes: true }).flatMap((entry) => {
        const path = `/${entry.name}`;
        if (!entry.isDirectory() || entry.name === 'node_modules') return [path];
        const within = readdirSync(join(ROOT, entry.name)).map((name) => `${path}/${name}`);
        return [path, ...within];
      }),
    );
    const paths = rules.map(([path = '']) => path).filter((path) => path !== '*');
    expect(paths.filter((path) => !existing.has(path.replace(/\/$/, '')))).toEqual([]);
  });
});
