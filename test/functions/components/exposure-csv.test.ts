import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { exposureCsv } from '#functions/components/exposure-csv.ts';
import type { ExposureOut } from '#functions/components/exposure-forms.ts';
import { exposureReport, ReportOut } from '#functions/components/exposure-report.ts';
import { fromSeconds } from '#shared/base/time.ts';

/** An answer as a table and as a report (rules/components.md#as-a-table, #as-a-report). */

type Exposure = Omit<z.input<typeof ExposureOut>, 'next_cursor'>;
type Row = Exposure['affected'][number];

const QUESTION: Exposure['question'] = {
  package: 'pkg:npm/lodash',
  purl: 'pkg:npm/lodash',
  versions: 'vers:npm/<4.17.21',
  vulnerability: 'CVE-1',
  as_of: 1_800_000_000,
};

const run = (from: number | null, to: number | null) => ({
  from,
  from_snapshot: 1,
  to,
  to_snapshot: to === null ? null : 2,
  compliant: true,
});
const PROD: Row['environments'][number] = {
  environment: 'prod',
  type: 'server',
  tags: {},
  running: true,
  since: 1_700_000_300,
  compliant: false,
  runs: [run(1_700_000_100, 1_700_000_200), run(1_700_000_300, null)],
  has_earlier: false,
};
const STATEMENT: Row['statements'][number] = {
  vulnerability: 'CVE-1',
  aliases: [],
  status: 'not_affected',
  justification: 'not, "called"',
  part: null,
  stated_at: null,
  reported_at: 1_700_000_400,
  reported_by: 'key-1',
  grade: 'signed',
  signer: 'security',
  attestation_id: 'vex-1',
  flow_name: 'web',
  trail_name: 'vex',
  html_url: 'https://x.example/vex',
};

const row = (name: string, fields: Partial<Row> = {}): Row => ({
  attestation_id: `sbom-${name}`,
  attestation_name: 'sbom',
  flow_name: 'web',
  trail_name: `trail-${name}`,
  html_url: 'https://x.example/trail',
  reported_at: 1_700_000_000,
  format: 'cyclonedx-1.6',
  grade: null,
  signer: null,
  components: [
    { package: 'pkg:npm/lodash', version: '4.17.20', qualifiers: null, depth: 'direct', count: 1, undecided: null },
  ],
  artifact: { fingerprint: `sha-${name}`, name, commit: 'abc' },
  environments: [],
  statements: [],
  statement_count: 0,
  ...fields,
});
const UNDECIDED = { package: null, version: null, qualifiers: null, depth: null, count: 1, undecided: 'no version' };

const exposure = (lists: Partial<Exposure>): Exposure => ({
  question: QUESTION,
  affected: [],
  not_affected: [],
  undecided: [],
  recalled: [],
  not_known: [],
  ...lists,
});
const NOT_KNOWN = {
  environment: 'prod',
  type: 'server',
  tags: {},
  snapshot_index: 2,
  name: '@stranger',
  fingerprint: 'sha-2',
  compliant: null,
  kind: 'none' as const,
  why: 'No flow has reported it',
};

describe('an answer as a table', () => {
  const linesOf = (lists: Partial<Exposure>) => exposureCsv(exposure(lists)).split('\r\n');

  test('has a line for each artifact and environment, and one for an artifact that never ran', () => {
    const stage = { ...PROD, environment: 'stage', running: false, since: null, runs: [run(null, 1_700_000_200)] };
    const [head, ...lines] = linesOf({ affected: [row('app', { environments: [PROD, stage] }), row('never')] });
    expect(head).toBe(
      'list,artifact,fingerprint,commit,flow,trail,sbom,reported_at,versions,environment,type,running,since,first_started_at,last_stopped_at,compliant,statements,why',
    );
    expect(lines).toEqual([
      'affected,app,sha-app,abc,web,trail-app,sbom-app,2023-11-14T22:13:20Z,4.17.20,prod,server,true,2023-11-14T22:18:20Z,2023-11-14T22:15:00Z,,false,,',
      'affected,app,sha-app,abc,web,trail-app,sbom-app,2023-11-14T22:13:20Z,4.17.20,stage,server,false,,,2023-11-14T22:16:40Z,false,,',
      'affected,never,sha-never,abc,web,trail-never,sbom-never,2023-11-14T22:13:20Z,4.17.20,,,,,,,,,',
      '',
    ]);
  });

  test('says what was said, what is not decided, recalled and not known', () => {
    const { artifact: _, environments: __, statements: ___, statement_count: ____, ...sbom } = row('leaked');
    const lines = linesOf({
      not_affected: [row('said', { statements: [STATEMENT] })],
      undecided: [row('unclear', { components: [UNDECIDED, UNDECIDED] })],
      recalled: [{ ...sbom, recalls: [{ name: 'leak', version: 2, since: 1 }] }],
      not_known: [NOT_KNOWN],
    });
    expect(lines[1]).toMatch(/^not_affected,.*,"CVE-1 not_affected by security \(signed\): not, ""called""",$/);
    expect(lines[2]).toMatch(/^undecided,.*,no version$/);
    expect(lines[3]).toMatch(/^recalled,,,,web,trail-leaked,.*,leak version 2$/);
    expect(lines[4]).toMatch(/^not_known,"'@stranger",sha-2,.*,No flow has reported it$/);
  });

  test.each([['=1+1'], ['+1'], ['-1'], ['@SUM(A1)'], ['\tx']])(
    'a name that begins as the formula %j is a text',
    (name) => {
      const [, line] = linesOf({ affected: [row('x', { artifact: { fingerprint: 'f', name, commit: name } })] });
      expect(line).toContain(`affected,"'${name}",f,"'${name}",`);
    },
  );
});

describe('an answer as a report', () => {
  test('says what an authority asks for', () => {
    const early = row('app', { environments: [PROD], trail_name: 'older', reported_at: 1_600_000_000 });
    const report = exposureReport(
      exposure({
        affected: [row('app', { environments: [PROD] }), early, row('never', { components: [UNDECIDED] })],
        not_affected: [row('said', { statements: [STATEMENT], statement_count: 1, flow_name: 'api' })],
        not_known: [NOT_KNOWN],
      }),
      fromSeconds(1_700_000_400),
    );
    expect(ReportOut.parse(report)).toEqual(report);
    expect(report).toMatchObject({
      component: { package: 'pkg:npm/lodash', versions: ['4.17.20'] },
      vulnerability: 'CVE-1',
      first_listed_at: 1_600_000_000,
      first_started_at: 1_700_000_100,
      first_said_at: 1_700_000_400,
      affected_running: 1,
      not_known: [{ name: '@stranger' }],
    });
    expect(report.products.map(({ flow_name: flow, name, artifacts }) => [flow, name, artifacts.length])).toEqual([
      ['api', 'said', 1],
      ['web', 'app', 2],
      ['web', 'never', 1],
    ]);
    const [said, app] = report.products;
    expect(said?.artifacts).toMatchObject([{ status: 'not_affected', running: false, mitigations: [STATEMENT] }]);
    expect(app?.artifacts.map(({ trail_name: trail, running }) => [trail, running])).toEqual([
      ['older', true],
      ['trail-app', true],
    ]);
  });

  test('says null where nothing is known', () => {
    expect(exposureReport(exposure({}), null)).toMatchObject({
      component: { versions: [] },
      first_listed_at: null,
      first_started_at: null,
      first_said_at: null,
      affected_running: 0,
      products: [],
    });
  });
});
