import { describe, expect, it } from 'vitest';
import { CI_NAMES, REPORTER_NAMES } from '#console/connect/model/choices.ts';
import { ciSystem } from '#console/connect/model/ci-systems.ts';
import { firstSteps } from '#console/connect/model/first-steps.ts';
import { gatesOf } from '#console/connect/model/gates.ts';
import { environmentCommand, installCommand, keyCommand, reporterCommands } from '#console/connect/model/reporters.ts';
import { workflowOf } from '#console/connect/model/workflows.ts';
import { blocksOf } from '#test/story/documents/document-blocks.ts';

const PLACE = { host: 'https://evidence.example.com', org: 'demo' };

describe('docs/connect.md', () => {
  it('has exactly the texts that the console shows, in their order', () => {
    const steps = [installCommand(), keyCommand(PLACE), environmentCommand('server')];
    const before = new Set(steps.map(({ text }) => text));
    expect(blocksOf('docs/connect.md').map(({ text }) => text)).toEqual([
      ...CI_NAMES.map((ci) => workflowOf(ci, PLACE)),
      ...steps.map(({ text }) => text),
      ...REPORTER_NAMES.flatMap((name) => reporterCommands(name, PLACE).map(({ text }) => text)),
      ...gatesOf(PLACE).map(({ text }) => text),
      // The page has the others once already.
      ...firstSteps(PLACE).flatMap(({ text }) => (before.has(text) ? [] : [text])),
    ]);
  });

  it('names the file of each CI system', () => {
    const files = CI_NAMES.map((ci) => ciSystem(ci).file);
    expect(new Set(files).size).toBe(files.length);
  });
});
