import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';

/** The example of docs/pipeline.md is a workflow that this repository can run. */

const [, example = ''] = /```yaml\n([\s\S]+?)```/.exec(readFileSync('docs/pipeline.md', 'utf8')) ?? [];

const Job = z.looseObject({
  needs: z.string().optional(),
  environment: z.string().optional(),
  steps: z.array(z.looseObject({ run: z.string().optional(), uses: z.string().optional() })),
});
const { jobs } = z.looseObject({ jobs: z.record(z.string(), Job) }).parse(parse(example));
const Scripts = z.looseObject({ scripts: z.record(z.string(), z.string()) });
const { scripts } = Scripts.parse(JSON.parse(readFileSync('package.json', 'utf8')));

const commandsOf = (job: string): string[] => (jobs[job]?.steps ?? []).flatMap(({ run }) => run ?? []);

describe('the example of a pipeline', () => {
  it('builds, then deploys eu, then us', () => {
    expect(Object.entries(jobs).map(([name, { needs, environment }]) => [name, needs, environment])).toEqual([
      ['build', undefined, undefined],
      ['eu', 'build', 'eu'],
      ['us', 'eu', 'us'],
    ]);
    expect(commandsOf('build')).toEqual(['npm ci', 'npm run check', 'npx cdk synth --quiet', 'npm run replacements']);
  });

  it('waits for the smoke test after each deployment', () => {
    for (const stage of ['eu', 'us']) {
      const commands = commandsOf(stage).map((command) => command.split(' ').slice(0, 3).join(' '));
      expect(commands).toEqual(['npm ci', 'npx cdk diff', 'npx cdk deploy', 'npm run smoke']);
    }
  });

  it('calls only commands that exist', () => {
    const names = [...example.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name ?? '');
    expect(names.filter((name) => !(name in scripts))).toEqual([]);
    expect(names.length).toBeGreaterThan(2);
  });
});
