import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ACCESS_PATTERNS } from '#infra/access-patterns.ts';
import { keyPattern, tableDocument } from '#infra/documents/table-document.ts';
import * as agentKeys from '#shared/agents/records/keys.ts';
import * as bodyKeys from '#shared/bodies/keys.ts';
import * as componentKeys from '#shared/components/records/keys.ts';
import * as controlKeys from '#shared/controls/records/keys.ts';
import * as environmentKeys from '#shared/environments/records/keys.ts';
import * as evaluationKeys from '#shared/evaluations/records/keys.ts';
import * as evidenceKeys from '#shared/evidence/records/keys.ts';
import * as expectationKeys from '#shared/expectations/records/keys.ts';
import * as exportKeys from '#shared/exports/records/keys.ts';
import * as logKeys from '#shared/log/records/keys.ts';
import * as notificationKeys from '#shared/notifications/records/keys.ts';
import * as organizationKeys from '#shared/organizations/records/keys.ts';
import * as policyKeys from '#shared/policies/records/keys.ts';
import * as seriesKeys from '#shared/series/keys.ts';
import * as signerKeys from '#shared/signers/records/keys.ts';
import * as sweepKeys from '#shared/sweeps/keys.ts';
import type { Example } from '#shared/table/access-patterns.ts';
import * as tableKeys from '#shared/table/keys.ts';
import * as watchKeys from '#shared/watches/records/keys.ts';
import { testId, testName, testPartition } from '#test/support/ids.ts';
import { entryItem } from '#test/support/table/entries.ts';
import { PINNED } from './pinned-keys.ts';

/** What the modules of keys export beside keys and partitions. */
const OTHER = /^(?:sequence|instantSequence|family|directory|keyIn|storedKey|read[A-Z].*)$/;

const ALL_KEYS = {
  ...agentKeys,
  ...bodyKeys,
  ...componentKeys,
  ...controlKeys,
  ...environmentKeys,
  ...evaluationKeys,
  ...evidenceKeys,
  ...expectationKeys,
  ...watchKeys,
  ...exportKeys,
  ...logKeys,
  ...notificationKeys,
  ...organizationKeys,
  ...policyKeys,
  ...seriesKeys,
  ...signerKeys,
  ...sweepKeys,
  ...tableKeys,
};
const partitionOf = (example: Example) => testPartition(typeof example === 'string' ? example : example.pk);
const DIRECTORY_FAMILIES = [
  'Directory',
  'Notifications',
  'Evaluations',
  'Expectations',
  'Exports',
  'Log',
  'Signers',
  'Sweeps',
  'Table',
];

describe('the keys of the table', () => {
  test.each(ACCESS_PATTERNS.map(({ key, example }) => [key, keyPattern(example)]))('%s is %s', (key, pattern) => {
    expect(pattern).toBe(PINNED[key]);
  });

  test('are all among the access patterns, each once', () => {
    const exported = Object.entries(ALL_KEYS)
      .filter(([name, value]) => ['function', 'string'].includes(typeof value) && !OTHER.test(name))
      .map(([name]) => name);
    expect(ACCESS_PATTERNS.map(({ key }) => key).toSorted()).toEqual(exported.toSorted());
    expect(Object.keys(PINNED).toSorted()).toEqual(exported.toSorted());
  });

  test('begin with the organization and the record family, except for the directory', () => {
    for (const { family, key, example } of ACCESS_PATTERNS) {
      const pk = partitionOf(example);
      const foreign = DIRECTORY_FAMILIES.includes(family) && pk.startsWith('@');
      expect(foreign || /^\{org\}#[A-Z]+/.test(pk), key).toBe(true);
    }
  });

  test('are all different', () => {
    const patterns = ACCESS_PATTERNS.map(({ example }) => keyPattern(example));
    expect(new Set(patterns).size).toBe(patterns.length);
  });

  test('the keys of the table of decisions distinguish artifacts from trails', () => {
    expect(
      controlKeys.decisionPartition(testId('org'), 'control', { flow: testId('flow'), trail: testName('trail') }),
    ).toBe('org#DECISION#control#T#flow#trail');
  });

  test('hold numbers so that text order is number order', () => {
    const numbers = [0, 1, 9, 10, 99, 256, 1e9];
    expect(numbers.map(tableKeys.sequence).toSorted()).toEqual(numbers.map(tableKeys.sequence));
  });

  test('the keys of the table of series and moments can be parsed, and other keys are not parsed as such', () => {
    const { pk } = entryItem(testId('org'), 'attestations?f=1&y=custom%3Aa', {
      id: '019b5f2e-3c00-0000-0000-00000000',
    });
    expect(seriesKeys.readSeriesPartition(pk)).toEqual({
      org: 'org',
      series: 'attestations?f=1&y=custom%3Aa',
      month: expect.stringMatching(/^20\d{4}$/),
    });
    expect(
      evidenceKeys.readMomentPartition(evidenceKeys.momentPartition(testId('org'), testId('flow'), testName('trail'))),
    ).toEqual({
      org: 'org',
      flow: 'flow',
      trail: 'trail',
    });
    for (const { key, example } of ACCESS_PATTERNS) {
      const pk = partitionOf(example);
      expect(seriesKeys.readSeriesPartition(pk) !== null, key).toBe(key === 'seriesPartition');
      expect(evidenceKeys.readMomentPartition(pk) !== null, key).toBe(key.startsWith('moment'));
    }
  });

  test('the keys of the table of subjects of the relay can be parsed, and other keys are not parsed as such', () => {
    const subjects =
      /^(?:snapshot|environment(?!Name|Event|Claim|Details|Facts|Tags|Links)|allowed|flow(?!Name|Tag[KP]|Runs))/;
    for (const { key, example } of ACCESS_PATTERNS) {
      const pk = partitionOf(example);
      const read = environmentKeys.readSubjectPartition(pk);
      expect(read !== null, key).toBe(subjects.test(key));
      if (read) expect(pk).toBe(`${read.org}#${read.family}#${read.subject}`);
      expect(policyKeys.readPolicyPartition(pk) !== null, key).toBe(/^policy(?!Name)/.test(key));
    }
  });
});

describe('docs/table.md', () => {
  test('equals the generated text; `npx node infra/write-table-document.ts` regenerates it', () => {
    expect(readFileSync(new URL('../../../docs/table.md', import.meta.url), 'utf8')).toBe(tableDocument());
  });
});
