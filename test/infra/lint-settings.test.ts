import { readFileSync } from 'node:fs';
import type { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { OPTIONAL_SETTINGS } from '#infra/optional-settings.ts';
import { DEFAULT_STAGES, readStages } from '#infra/stages/stages.ts';
import { serviceTemplates } from './synthesized.ts';

const text = readFileSync('.cfnlintrc.yaml', 'utf8');
const settings = z
  .strictObject({ regions: z.array(z.string()), ignore_checks: z.array(z.string()) })
  .parse(parse(text));

test('cfn-lint checks the templates for the regions of all stages', () => {
  expect(settings.regions).toEqual(readStages(DEFAULT_STAGES, 'cdk.json').map(({ region }) => region));
});

test('the settings of cfn-lint accept single warnings with a reason, and no errors', () => {
  for (const check of settings.ignore_checks) {
    expect(check).toMatch(/^W\d{4}$/);
    expect(text).toMatch(new RegExp(`^  # [A-Z].{30,}\\.\\n  - ${check}$`, 'm'));
  }
});

test('no template accepts a finding of cfn-lint by itself', () => {
  const templates: Template[] = Object.values(serviceTemplates(OPTIONAL_SETTINGS).eu);
  expect(JSON.stringify(templates.map((template) => template.toJSON()))).not.toContain('cfn-lint');
});
