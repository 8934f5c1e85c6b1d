import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { sentTexts } from './five-minutes.ts';
import { GENERATORS, GO_RUNTIME } from './generators.ts';

const textOf = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

test('the guide names the generators and versions that are run', () => {
  const guide = textOf('docs/clients.md');
  for (const { name, version } of Object.values(GENERATORS)) expect(guide).toContain(`\`${name}\` ${version}`);
  expect(guide).toContain(`\`github.com/oapi-codegen/runtime\` ${GO_RUNTIME}`);
  const { name, version } = GENERATORS.typescript;
  expect(JSON.parse(textOf('package.json'))).toMatchObject({ devDependencies: { [name]: version } });
});

test('the programs send what the README sends', () => {
  const { TEMPLATE = '', POLICY = '', PROGRAM } = sentTexts();
  expect(parse(TEMPLATE)).toMatchObject({ version: 1, trail: { artifacts: [{ name: 'app' }] } });
  expect(parse(POLICY)).toMatchObject({ artifacts: { provenance: { required: true } } });
  expect(PROGRAM).toBe('package policy\n\ndefault allow := false\n\nallow if input.trail.is_compliant\n');
});
