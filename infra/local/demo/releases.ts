import type { DemoClient } from './client.ts';
import type { Environments } from './environments.ts';
import { DEMO_ORGANIZATION as ORG } from './people.ts';
import { attest, beginTrail, commitOf, repoOf, type Setting, sha256 } from './setting.ts';

interface Flow {
  name: 'web' | 'payments' | 'ledger';
  artifact: string;
  releases: number;
  /** Hours before the present of the newest release, and between two releases. */
  newest: number;
  every: number;
  /** Whether the artifact also runs in `eu-prod`, a day later than in `prod`. */
  inEurope: boolean;
}

const FLOWS: readonly Flow[] = [
  { name: 'web', artifact: 'app', releases: 12, newest: 30, every: 179, inEurope: true },
  { name: 'payments', artifact: 'worker', releases: 10, newest: 9, every: 211, inEurope: true },
  { name: 'ledger', artifact: 'ledger', releases: 8, newest: 52, every: 258, inEurope: false },
];

/** The trail that lacks its review, although its artifact runs in `prod`. */
export const INCOMPLETE = { flow: 'payments', trail: 'release-10' } as const;

const trailOf = (n: number): string => `release-${n}`;

/** The release of the flow `ledger` that has a failed scan, which somebody overrode. */
const OVERRIDDEN = 7;

interface Release {
  flow: Flow;
  n: number;
  trail: string;
  fingerprint: string;
  /** Hours before the present at which the trail begins. */
  begin: number;
}

const aboutOf = ({ flow, trail }: Release): string => `${flow.name}/${trail}`;

/** Adds the releases of all flows with their evidence and deployments. */
export function addReleases(setting: Setting, environments: Environments): void {
  for (const flow of FLOWS) {
    for (let n = 1; n <= flow.releases; n += 1) {
      const begin = flow.newest + (flow.releases - n) * flow.every;
      const release = { flow, n, trail: trailOf(n), fingerprint: sha256(`${flow.artifact} ${n}`), begin };
      addEvidence(setting, release);
      addDeployments(environments, release);
    }
  }
}

function addDeployments(environments: Environments, release: Release): void {
  const { flow, begin, fingerprint } = release;
  const about = aboutOf(release);
  environments.deploy(begin - 1.2, 'staging', flow.artifact, fingerprint, about);
  environments.deploy(begin - 6, 'prod', flow.artifact, fingerprint, about);
  if (flow.inEurope && begin > 30) environments.deploy(begin - 30, 'eu-prod', flow.artifact, fingerprint, about);
}

function addEvidence({ script, keys }: Setting, release: Release): void {
  const { flow, n, trail, fingerprint, begin } = release;
  const about = [aboutOf(release)];
  const commit = commitOf(flow.name, n, script.seconds(begin + 2));
  const report = (after: number, kind: string, key: () => string, document: object, files?: Record<string, string>) =>
    script.add(begin - after, about, (client) =>
      attest(client, key(), { flow: flow.name, trail, kind }, document, files),
    );
  const ofArtifact = (name: string) => ({ attestation_name: name, artifact_fingerprint: fingerprint });

  script.add(begin, about, (client) =>
    beginTrail(client, keys.ci(), flow.name, {
      name: trail,
      description: `Release ${n}: ${commit.message}`,
      git_commit_info: commit,
      repo_info: repoOf(flow.name),
      external_urls: { pipeline: `https://ci.webshop.example/${flow.name}/${n}` },
    }),
  );
  script.add(begin - 0.2, about, (client) => reportArtifact(client, keys.ci(), release, commit));
  addReview(release, report, keys);
  const seconds = 41 + ((n * 7) % 23);
  report(0.3, 'junit', keys.ci, junitOf(ofArtifact('unit-tests'), 180 + n * 3, seconds), {
    attachment_file: `<testsuite name="${flow.artifact}" tests="${180 + n * 3}" failures="0" time="${seconds}"/>\n`,
  });
  if (flow.name === 'payments') {
    const parts = sbomOf(release);
    const attestation_data = { format: 'cyclonedx-1.6', original_fingerprint: sha256(parts) };
    const sbom = { ...ofArtifact('sbom'), type_name: 'sbom', attestation_data };
    report(0.4, 'system', keys.ci, sbom, { attachment_file: parts });
  }
  if (flow.name === 'ledger') addScan(release, report, keys);
  const signature = { ...ofArtifact('signature'), description: 'Signed by the key of the pipeline' };
  report(0.5, 'generic', keys.ci, signature);
  report(1, 'system', () => keys.bob, {
    ...ofArtifact('four-eyes'),
    type_name: 'decision',
    control: 'RCTL-1',
    attestation_data: { is_compliant: true, approved_by: 'bob', author: commit.author_username },
  });
}

/** An SBOM whose components change from release to release, so that each release holds other versions. */
function sbomOf({ flow, n }: Release): string {
  const subject = `pkg:oci/${flow.artifact}@sha256%3A${sha256(`${flow.artifact} ${n}`)}`;
  const library = (name: string, version: string) => ({
    type: 'library',
    'bom-ref': `pkg:npm/${name}@${version}`,
    name: decodeURIComponent(name),
    version,
    purl: `pkg:npm/${name}@${version}`,
  });
  const undici = library('undici', `6.${12 + n}.0`);
  const lodash = library('lodash', n < 8 ? '4.17.20' : '4.17.21');
  const tracing = library('%40opentelemetry/api', '1.9.0');
  return JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: {
      component: { type: 'container', 'bom-ref': subject, name: flow.artifact, version: String(n), purl: subject },
    },
    components: [undici, lodash, tracing, { type: 'library', name: 'openssl', version: '3.0.15' }],
    dependencies: [
      { ref: subject, dependsOn: [undici['bom-ref'], tracing['bom-ref']] },
      { ref: undici['bom-ref'], dependsOn: [lodash['bom-ref']] },
    ],
  });
}

type Report = (after: number, kind: string, key: () => string, document: object) => void;

function addReview({ flow, n, trail }: Release, report: Report, keys: Setting['keys']): void {
  if (flow.name === 'web') {
    const url = `https://git.webshop.example/web/merge/${100 + n}`;
    const pull = { url, state: 'merged', author: 'chris', approvers: [{ username: 'bob', state: 'APPROVED' }] };
    report(0.1, 'pull_request', keys.ci, {
      attestation_name: 'review',
      git_provider: 'gitlab',
      pull_requests: [{ ...pull, title: `Release ${n}` }],
      origin_url: url,
    });
  }
  const isLacking = flow.name === INCOMPLETE.flow && trail === INCOMPLETE.trail;
  if (flow.name === 'payments' && !isLacking) {
    const document = { attestation_name: 'review', is_compliant: true, description: 'Reviewed by bob' };
    report(0.1, 'generic', () => keys.bob, document);
  }
}

/** Adds the scan of a release of `ledger`. One release has a finding, which is overridden with a reason. */
function addScan({ n, fingerprint }: Release, report: Report, keys: Setting['keys']): void {
  const finding = { id: 'CVE-2026-10471', message: 'Denial of service in the parser of dates', priority_score: 731 };
  const high = n === OVERRIDDEN ? [finding] : [];
  report(0.4, 'snyk', keys.ci, {
    attestation_name: 'scan',
    artifact_fingerprint: fingerprint,
    snyk_results: {
      schema_version: 1,
      tool: { name: 'scanner', version: '4.2.0' },
      results: [{ high_count: high.length, medium_count: 0, low_count: 0, high, medium: [], low: [] }],
    },
  });
  if (n !== OVERRIDDEN) return;
  report(3, 'override', () => keys.bob, {
    attestation_name: 'scan',
    artifact_fingerprint: fingerprint,
    reason: 'The ledger parses no dates of others. The update comes with release 8 (LED-88).',
    new_compliance_status: true,
    original_attestation_type: 'snyk',
  });
}

const junitOf = (place: object, total: number, duration: number) => ({
  ...place,
  junit_results: [{ name: 'unit', failures: 0, errors: 0, skipped: 2, total, duration }],
});

function reportArtifact(
  client: DemoClient,
  key: string,
  { flow, n, trail, fingerprint }: Release,
  commit: ReturnType<typeof commitOf>,
): Promise<unknown> {
  return client.send(key, 'POST', `/artifacts/${ORG}/${flow.name}`, {
    json: {
      trail_name: trail,
      template_reference_name: flow.artifact,
      filename: `registry.webshop.example/${flow.artifact}:${n}`,
      fingerprint,
      git_commit: commit.sha1,
      git_commit_info: commit,
      repo_info: repoOf(flow.name),
      build_url: `https://ci.webshop.example/${flow.name}/${n}`,
      commit_url: commit.url,
    },
  });
}
