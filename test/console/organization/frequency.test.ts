import { describe, expect, it } from 'vitest';
import {
  deploymentsIn,
  frequencySentence,
  gapsSentence,
  leadTimesNote,
  organizationDays,
} from '#console/organization/model/frequency.ts';
import type { OrganizationFrequency } from '#console/organization/operations.ts';

const dates = ['2026-11-20', '2026-11-21', '2026-11-22'];
const timestampOf = (date: string) => Date.parse(date) / 1000;
const times = (known: number) => ({ known, median: 60, p90: 60, p99: 60, classes: [] });

const environment = (name: string, counts: readonly number[], known = 0) => ({
  environment_name: name,
  html_url: `https://api.example/acme/environments/${name}`,
  total: counts.reduce((sum, count) => sum + count, 0),
  median_per_day: 0,
  days: dates.map((date, n) => ({ date, timestamp: timestampOf(date), count: counts[n] ?? 0 })),
  lead_times: times(known),
});

const answer = (environments: OrganizationFrequency['environments'], known: number): OrganizationFrequency => ({
  start_ts: 0,
  end_ts: 1,
  trails: {
    total: 1,
    median_per_day: 0,
    counted_from: 0,
    times: times(1),
    days: dates.map((date, n) => ({
      date,
      timestamp: timestampOf(date),
      compliant: n,
      incomplete: 0,
      non_compliant: 0,
    })),
  },
  environments,
  more_environments: false,
  lead_times: times(known),
});

const busy = answer([environment('prod', [1, 0, 2], 2), environment('staging', [1, 0, 0], 1)], 3);
const idle = answer([environment('prod', [])], 0);

describe('the frequency of an organization', () => {
  it('sums the deployments of all environments by day', () => {
    expect(organizationDays(busy).map(({ deployments, trails, where }) => [deployments, trails, where])).toEqual([
      [2, 0, '1 in prod, 1 in staging'],
      [0, 1, ''],
      [2, 2, '2 in prod'],
    ]);
    expect(deploymentsIn(busy.environments)).toBe(4);
  });

  it('begins with the number and the pace', () => {
    expect(frequencySentence(busy)).toBe('4 deployments in 2 environments in 3 days. About one deployment per day.');
    expect(frequencySentence(idle)).toBe('No deployment in 3 days.');
    expect(frequencySentence(answer([], 0))).toBe('No deployment in 3 days.');
    expect(gapsSentence(idle)).toBe('');
  });

  it('says of how many deployments the lead time is known', () => {
    expect(leadTimesNote(busy)).toMatch(/^Known of 3 of 4 deployments: /);
    expect(leadTimesNote(answer([environment('prod', [1], 1)], 1))).toBe('');
  });
});
