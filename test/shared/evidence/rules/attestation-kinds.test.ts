import { describe, expect, test } from 'vitest';
import {
  ATTESTATION_KINDS,
  canonicalType,
  customVerdict,
  evidenceDetail,
  type KindName,
} from '#shared/evidence/rules/attestation-kinds.ts';
import type { AttestationKind } from '#shared/evidence/rules/kinds/kind.ts';
import { STATEMENT_KINDS } from '#shared/evidence/rules/predicates/kind-of.ts';
import { COMMIT_C, FP_1 } from './trails.ts';

const commit = { sha1: COMMIT_C, message: 'm', author: 'A <a@b.example>', timestamp: 1_700_000_000 };
const suite = { name: 's', failures: 0, errors: 0, skipped: 1, total: 3, duration: 0.5 };
const issue = { issue_id: 'T-1', issue_url: 'https://tracker.example/T-1', issue_exists: true };
const clean = { high_count: 0, medium_count: 0, low_count: 0 };
const pull = {
  merge_commit: COMMIT_C,
  url: 'https://git.example/1',
  state: 'OPEN',
  author: '',
  approvers: null,
  commits: [],
};
const scan = (...results: unknown[]) => ({
  snyk_results: { schema_version: 1, tool: { name: 't', version: '1' }, results },
});
const gate = (status?: string) => ({
  sonar_results: { serverUrl: 'https://s.example', ...(status && { qualityGate: { status, conditions: [] } }) },
});

/** The required fields of each kind besides the name. */
const least: Record<KindName, object> = {
  generic: {},
  custom: { type_name: 'coverage' },
  jira: { issue_tracker_results: [] },
  junit: { junit_results: [] },
  snyk: scan(),
  sonar: gate(),
  pull_request: { pull_requests: [] },
  decision: { type_name: 'decision', control: 'C-1', attestation_data: { is_compliant: true } },
  sbom: { type_name: 'sbom', attestation_data: { original_fingerprint: FP_1 } },
  override: { reason: 'r', new_compliance_status: true, original_attestation_type: 'generic' },
};
const kinds = Object.keys(ATTESTATION_KINDS) as KindName[];
const kindOf = (name: KindName): AttestationKind => ATTESTATION_KINDS[name] as unknown as AttestationKind;
const parse = (name: KindName, fields: object) =>
  kindOf(name).schema.safeParse({ attestation_name: 'check', ...least[name], ...fields });
const report = (name: KindName, fields: object) => {
  const parsed = parse(name, fields);
  if (!parsed.success) throw parsed.error;
  return parsed.data;
};
const verdict = (name: KindName, fields: object) => kindOf(name).verdict(report(name, fields));
const faults = (name: KindName, fields: object) =>
  parse(name, fields).error?.issues.map((found) => found.path.join('.'));

describe.each(kinds)('the kind %s', (name) => {
  test('accepts the common fields and ignores unknown ones', () => {
    const parsed = report(name, {
      artifact_fingerprint: FP_1,
      target_artifacts: ['cli'],
      git_commit_info: commit,
      repo_info: { id: '1', name: 'o/r', url: 'https://git.example/o/r', provider: 'git' },
      external_urls: { docs: 'https://d.example', file: { href: 'https://f.example', fingerprint: FP_1 } },
      origin_url: 'https://ci.example/1',
      description: 'd',
      annotations: { key: 'value' },
      user_data: [1],
      unheard_of: true,
    });
    expect(parsed).toMatchObject({ attestation_name: 'check', annotations: { key: 'value' }, user_data: [1] });
    expect(parsed).not.toHaveProperty('unheard_of');
  });

  test('accepts null for absent lists and maps', () => {
    const nothing = { target_artifacts: null, git_commit_info: null, repo_info: null, external_urls: null };
    expect(parse(name, { ...nothing, annotations: null, description: null }).success).toBe(true);
  });

  test('refuses bad common fields, each under its own key', () => {
    expect(faults(name, { attestation_name: 'a.b' })).toEqual(['attestation_name']);
    expect(faults(name, { attestation_name: 'a'.repeat(256) })).toEqual(['attestation_name']);
    expect(faults(name, { artifact_fingerprint: FP_1.slice(1) })).toEqual(['artifact_fingerprint']);
    expect(faults(name, { target_artifacts: ['ok', 'not ok'], git_commit_info: commit })).toEqual([
      'target_artifacts.1',
    ]);
    expect(faults(name, { git_commit_info: { ...commit, sha1: 'abc' } })).toEqual(['git_commit_info.sha1']);
    expect(faults(name, { annotations: { 'a b': 'x' } })).toEqual(['annotations.a b']);
    expect(faults(name, { external_urls: { file: { href: 'https://f', fingerprint: 'bad' } } })).toEqual([
      'external_urls.file.fingerprint',
    ]);
  });

  test('refuses named artifacts without a commit, together with every other problem', () => {
    expect(faults(name, { target_artifacts: ['cli'], attestation_name: undefined, origin_url: 7 })?.toSorted()).toEqual(
      ['attestation_name', 'origin_url', 'target_artifacts'],
    );
    expect(faults(name, { target_artifacts: 7, artifact_fingerprint: null })).toEqual(['target_artifacts']);
    expect(faults(name, { target_artifacts: ['cli'], artifact_fingerprint: FP_1 })).toBeUndefined();
  });

  test('has its own path and its own component name in the OpenAPI document', () => {
    const others = kinds.filter((other) => other !== name).map(kindOf);
    // Kinds that share a path have the literal of their name in `type_name`.
    const shared = others.filter((other) => other.segments.includes(kindOf(name).segments[0]));
    if (shared.length > 0) expect(faults(name, { type_name: 'other' })).toEqual(['type_name']);
    expect(others.map((other) => other.schema.meta()?.id)).not.toContain(kindOf(name).schema.meta()?.id);
    expect(kindOf(name).schema.meta()?.id).toMatch(/Attestation$/);
  });
});

test('uploads are named by id, at most twenty, and only for kinds that take files', () => {
  const id = '01234567-89ab-4def-8123-456789ab';
  expect(report('generic', { attachments: [id] })).toMatchObject({ attachments: [id] });
  expect(faults('generic', { attachments: Array.from({ length: 21 }, () => id) })).toEqual(['attachments']);
  expect(faults('generic', { attachments: [id, 'x'] })).toEqual(['attachments.1']);
  expect(report('override', { attachments: [id] })).not.toHaveProperty('attachments');
  expect(kinds.filter((name) => !kindOf(name).takesFiles)).toEqual(['override']);
});

test('the two names of the results of an issue tracker hold the same list, and one of them is there', () => {
  const [one, other] = [[issue], [{ ...issue, issue_exists: false }]];
  expect(faults('jira', { issue_tracker_results: one, jira_results: one })).toBeUndefined();
  expect(faults('jira', { issue_tracker_results: one, jira_results: null })).toBeUndefined();
  expect(faults('jira', { issue_tracker_results: one, jira_results: other })).toEqual(['jira_results']);
  expect(faults('jira', { issue_tracker_results: undefined, attestation_name: 7 })).toEqual([
    'attestation_name',
    'issue_tracker_results',
  ]);
});

describe('the verdict of', () => {
  test.each<[KindName, string, object, boolean]>([
    ['generic', 'true', { is_compliant: true }, true],
    ['generic', 'false', { is_compliant: false }, false],
    ['generic', 'nothing said', {}, true],
    ['jira', 'one living issue', { issue_tracker_results: [issue] }, true],
    ['jira', 'the client’s name for the list', { jira_results: [issue], issue_tracker_results: undefined }, true],
    [
      'jira',
      'one dead issue among living ones',
      { jira_results: [issue, { ...issue, issue_exists: false }], issue_tracker_results: undefined },
      false,
    ],
    ['jira', 'no issue', { issue_tracker_results: [] }, false],
    ['jira', 'null for the list', { issue_tracker_results: null }, false],
    ['junit', 'a passing suite with skipped tests', { junit_results: [suite] }, true],
    ['junit', 'a failure in the second suite', { junit_results: [suite, { ...suite, failures: 1 }] }, false],
    ['junit', 'an error', { junit_results: [{ ...suite, errors: 2 }] }, false],
    ['junit', 'no suite', { junit_results: [] }, false],
    ['snyk', 'nothing found', scan(clean), true],
    ['snyk', 'a high one', scan(clean, { ...clean, high_count: 1 }), false],
    ['snyk', 'a medium one', scan({ ...clean, medium_count: 1 }), false],
    ['snyk', 'a low one', scan({ ...clean, low_count: 1 }), false],
    ['snyk', 'a listed one that no count mentions', scan({ ...clean, low: [{ id: 'x', message: 'm' }] }), false],
    ['sonar', 'a gate that is OK', gate('OK'), true],
    ['sonar', 'a gate in error', gate('ERROR'), false],
    ['sonar', 'no gate', gate(), false],
    ['pull_request', 'an open one without approvals', { pull_requests: [pull] }, true],
    ['pull_request', 'none', { pull_requests: [] }, false],
    ['pull_request', 'null', { pull_requests: null }, false],
    ['decision', 'yes', {}, true],
    ['decision', 'no', { attestation_data: { is_compliant: false, why: 'x' } }, false],
    ['override', 'to compliant', {}, true],
    ['override', 'to non-compliant', { new_compliance_status: false }, false],
  ])('%s: %s', (name, _, fields, compliant) => {
    expect(verdict(name, fields)).toBe(compliant);
  });

  test('a custom type is true only if every rule gives true and nothing else', () => {
    const yes = { ok: true as const, outputs: [true] };
    expect(customVerdict([])).toEqual({ is_compliant: true, rule_results: [] });
    expect(customVerdict([yes, { ok: true, outputs: [true, true] }]).is_compliant).toBe(true);
    for (const outputs of [[], [false], [null], [1], ['true'], [true, false]]) {
      expect(customVerdict([yes, { ok: true, outputs }]).is_compliant).toBe(false);
    }
    const { is_compliant, rule_results } = customVerdict([yes, { ok: false, error: 'timed out' }]);
    expect(is_compliant).toBe(false);
    expect(rule_results).toEqual([{ is_compliant: true }, { is_compliant: false, reason: 'timed out' }]);
    expect(verdict('custom', { type_name: 'coverage' })).toEqual({ customType: 'coverage' });
  });
});

describe('a report is refused', () => {
  test.each<[KindName, object, string]>([
    ['generic', { is_compliant: 'yes' }, 'is_compliant'],
    ['custom', { type_name: undefined }, 'type_name'],
    ['custom', { type_name: 'a b' }, 'type_name'],
    ['jira', { issue_tracker_results: undefined }, 'issue_tracker_results'],
    ['jira', { issue_tracker_results: [{ ...issue, issue_exists: 'true' }] }, 'issue_tracker_results.0.issue_exists'],
    ['junit', { junit_results: undefined }, 'junit_results'],
    ['junit', { junit_results: [{ ...suite, failures: -1 }] }, 'junit_results.0.failures'],
    ['snyk', { snyk_results: undefined }, 'snyk_results'],
    ['snyk', scan({ ...clean, high_count: null }), 'snyk_results.results.0.high_count'],
    ['sonar', { sonar_results: [] }, 'sonar_results'],
    ['pull_request', { pull_requests: undefined }, 'pull_requests'],
    ['pull_request', { pull_requests: [{ ...pull, url: undefined }] }, 'pull_requests.0.url'],
    ['decision', { type_name: 'other' }, 'type_name'],
    ['decision', { control: '' }, 'control'],
    ['decision', { attestation_data: {} }, 'attestation_data.is_compliant'],
    ['override', { reason: '' }, 'reason'],
    ['override', { new_compliance_status: undefined }, 'new_compliance_status'],
    ['override', { original_attestation_type: 'override' }, 'original_attestation_type'],
  ])('a report of %s with %j is refused under %s', (name, fields, key) => {
    expect(faults(name, fields)).toEqual([key]);
  });
});

describe('types', () => {
  test('name the record and its slot', () => {
    const types = (name: KindName, fields: object) => {
      const data = report(name, fields);
      return [kindOf(name).recordType(data), kindOf(name).slotType(data)];
    };
    expect(types('jira', {})).toEqual(['jira', 'jira']);
    expect(types('custom', {})).toEqual(['custom:coverage', 'custom:coverage']);
    expect(types('decision', {})).toEqual(['decision', 'decision']);
    expect(types('override', { original_attestation_type: 'snyk' })).toEqual(['override', 'snyk']);
    expect(types('override', { original_attestation_type: 'issue_tracker' })).toEqual(['override', 'jira']);
    expect(types('override', { original_attestation_type: 'custom:a.b' })).toEqual(['override', 'custom:a.b']);
  });

  test('cover every kind of signed statement in overrides', () => {
    const overridden = (type: string) => faults('override', { original_attestation_type: type });
    expect(STATEMENT_KINDS.filter((type) => overridden(type) !== undefined)).toEqual([]);
    expect(overridden('attestation')).toEqual(['original_attestation_type']);
  });

  test('have aliases in filters', () => {
    const aliases = ['system:decision', 'issue_tracker', 'custom:x'];
    expect(aliases.map(canonicalType)).toEqual(['decision', 'jira', 'custom:x']);
  });

  test('allow only a decision and its override to name any artifact of the organization', () => {
    const anywhere = kinds.filter((name) => kindOf(name).takesAnyFingerprint(report(name, {})));
    expect(anywhere).toEqual(['decision']);
    const override = report('override', { original_attestation_type: 'decision' });
    expect(kindOf('override').takesAnyFingerprint(override)).toBe(true);
  });
});

describe('reading gives back', () => {
  const readBack = (name: KindName, fields: object) => {
    const data = report(name, fields);
    return evidenceDetail(kindOf(name).recordType(data), kindOf(name).evidence(data));
  };

  test('issues under both names, with all fields of the report', () => {
    const found = [{ ...issue, issue_fields: { status: 'open' } }];
    const both = { issue_tracker_results: found, jira_results: found };
    expect(readBack('jira', { issue_tracker_results: found })).toEqual(both);
    expect(readBack('jira', { jira_results: found, issue_tracker_results: undefined })).toEqual(both);
  });

  test('a scan as it was posted and under its documented name', () => {
    const posted = scan({ ...clean, extra: { deep: 1 } }).snyk_results;
    expect(readBack('snyk', { snyk_results: posted })).toEqual({
      snyk_results: posted,
      processed_snyk_results: posted,
    });
  });

  test('pull requests of both generations as they were posted', () => {
    const old = { merge_commit: COMMIT_C, url: 'https://git.example/1', state: 'MERGED', approvers: ['ann'] };
    const recent = {
      ...pull,
      approvers: [{ username: 'ann', state: 'APPROVED', timestamp: 1 }],
      commits: [{ ...commit, branch: 'b', author_username: 'ann' }],
      title: 't',
    };
    expect(readBack('pull_request', { git_provider: 'github', pull_requests: [old, recent] })).toEqual({
      git_provider: 'github',
      pull_requests: [old, recent],
    });
  });

  test('the fields of the other kinds', () => {
    expect(readBack('junit', { junit_results: [suite] })).toEqual({ junit_results: [suite] });
    expect(readBack('sonar', gate('OK'))).toEqual(gate('OK'));
    expect(readBack('generic', {})).toEqual({});
    expect(readBack('decision', {})).toEqual({ control: 'C-1' });
    expect(readBack('override', { original_attestation_type: 'issue_tracker' })).toEqual({
      reason: 'r',
      new_compliance_status: true,
      original_attestation_type: 'jira',
    });
    expect(evidenceDetail('custom:coverage', { type_name: 'coverage', type_version: 2 })).toEqual({
      type_name: 'coverage',
      type_version: 2,
    });
  });

  test('no fields of an unknown type, but an error', () => {
    expect(() => evidenceDetail('constructor', {})).toThrow('unknown attestation type');
  });
});
