import type { DemoClient } from './client.ts';
import { BEGIN } from './organization.ts';
import { DEMO_ORGANIZATION as ORG } from './people.ts';
import type { Script } from './script.ts';
import { HOURS_PER_DAY, type Setting, sha256 } from './setting.ts';

const KINDS = { prod: 'K8S', 'eu-prod': 'ECS', staging: 'docker', jobs: 'lambda', edge: 'server' } as const;
type Environment = keyof typeof KINDS;

/** The logical environment, to which the snapshots of all others are appended since it was created. */
const GROUP = 'everything';
const GROUP_SINCE = 14 * HOURS_PER_DAY;

const POLICIES: Partial<Record<Environment, string[]>> = {
  prod: ['strict'],
  'eu-prod': ['strict'],
  staging: ['signed'],
};

/** An instance as the reporter of its environment describes it. */
interface Running {
  fingerprint: string;
  /** Seconds since the epoch. */
  started: number;
}

/** What runs in the environments. A deployment changes it and reports the environment. */
export class Environments {
  readonly #running = new Map<Environment, Map<string, Running>>();
  readonly #script: Script;
  readonly #key: () => string;
  readonly #expand: (environment: string) => Promise<unknown>;

  /** @param expand applies the effects of the newest snapshots of an environment, as the expander does */
  constructor({ script, keys }: Setting, expand: (environment: string) => Promise<unknown>) {
    this.#expand = expand;
    this.#script = script;
    this.#key = keys.ci;
  }

  /**
   * Adds a deployment: from then on the artifact runs in the environment in place of the one with the same name.
   *
   * @param trail the trail with the evidence of the artifact, as the steps of its evidence name it
   */
  deploy(hoursAgo: number, environment: Environment, name: string, fingerprint: string, trail?: string): void {
    this.#script.add(hoursAgo, [environment, GROUP, ...(trail === undefined ? [] : [trail])], (client) => {
      this.#in(environment).set(name, { fingerprint, started: this.#script.seconds(hoursAgo) });
      return this.#report(client, environment);
    });
  }

  /** Adds the end of an artifact. */
  stop(hoursAgo: number, environment: Environment, name: string): void {
    this.#script.add(hoursAgo, [environment, GROUP], (client) => {
      this.#in(environment).delete(name);
      return this.#report(client, environment);
    });
  }

  /** Adds a report of what runs at that time. */
  report(hoursAgo: number, environment: Environment): void {
    this.#script.add(hoursAgo, [environment, GROUP], (client) => this.#report(client, environment));
  }

  #in(environment: Environment): Map<string, Running> {
    const running = this.#running.get(environment) ?? new Map<string, Running>();
    this.#running.set(environment, running);
    return running;
  }

  async #report(client: DemoClient, environment: Environment): Promise<void> {
    const kind = KINDS[environment];
    const artifacts = [...this.#in(environment)].map(([name, running]) => instanceOf(kind, name, running));
    await client.send(this.#key(), 'PUT', `/environments/${ORG}/${environment}/report/${kind}`, {
      json: { artifacts },
    });
    await this.#expand(environment);
  }
}

function instanceOf(kind: (typeof KINDS)[Environment], name: string, { fingerprint, started }: Running) {
  const item = { digests: { [`registry.webshop.example/${name}:${fingerprint.slice(0, 7)}`]: fingerprint } };
  const plain = { ...item, creationTimestamp: started };
  const id = fingerprint.slice(0, 10);
  if (kind === 'K8S') return { ...plain, podName: `${name}-${id}`, namespace: 'shop', owners: [] };
  if (kind === 'ECS') {
    const taskArn = `arn:aws:ecs:eu-central-1:123456789012:task/shop/${id}`;
    return { ...plain, taskArn, cluster_name: 'shop', service_name: name };
  }
  return { digests: { [name]: fingerprint }, creationTimestamp: started };
}

/** Adds the environments themselves, and what runs in them beside the releases. */
export function addEnvironments({ script, keys }: Setting, environments: Environments): void {
  const create = (document: object) => (client: DemoClient) =>
    client.send(keys.admin, 'PUT', `/environments/${ORG}`, { json: document });
  for (const [name, type] of Object.entries(KINDS)) {
    const description = `${name} (${type})`;
    // `Object.entries` forgets the names of environments.
    script.add(BEGIN, [], create({ name, type, description, policies: POLICIES[name as Environment] ?? [] }));
  }
  const description = 'Everything that runs';
  script.add(
    GROUP_SINCE,
    [],
    create({ name: GROUP, type: 'logical', description, included_environments: Object.keys(KINDS) }),
  );

  for (let n = 0; n < 12; n += 1) {
    environments.deploy(88 * HOURS_PER_DAY - n * 176, 'jobs', 'nightly-report', sha256(`nightly-report ${n}`));
    environments.deploy(26 + n * 176, 'edge', 'edge-cache', sha256(`edge-cache ${12 - n}`));
  }

  const image = { artifact_name: 'debug-shell', artifact_fingerprint: sha256('debug-shell') };
  environments.deploy(20 * HOURS_PER_DAY, 'staging', image.artifact_name, image.artifact_fingerprint);
  script.add(18 * HOURS_PER_DAY, ['staging', GROUP], (client) => {
    const json = { ...image, description: 'Needed until the lost orders of INC-212 are found' };
    return client.send(keys.bob, 'PUT', `/allowlists/${ORG}/staging`, { json });
  });
  environments.stop(15 * HOURS_PER_DAY, 'staging', image.artifact_name);

  // The reporter of `edge` reported every minute, and stopped.
  for (let minute = 1; minute <= 4; minute += 1) environments.report(26 - minute / 60, 'edge');
  // Nothing changed, so these reports make no snapshots.
  for (const name of ['prod', 'eu-prod', 'staging', 'jobs'] as const) environments.report(0.1, name);
}
