import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fingerprintOf } from '#test/support/evidence.ts';
import { type Client, KEYS, ORG } from './client.ts';

/** Reads environments through the client, and sends reports that the client itself can send only from other platforms. */

export interface SnapshotJson {
  index: number;
  type: string;
  compliant: boolean;
  timestamp: number;
  artifacts: {
    name: string;
    fingerprint: string;
    compliant: boolean | null;
    creationTimestamp: number[];
    annotation: { type: string; was: number; now: number };
    flow_name: string | null;
    [field: string]: unknown;
  }[];
}

export interface EnvironmentJson {
  name: string;
  type: string;
  description: string;
  state: boolean | null;
  last_reported_at: number | null;
  policies: string[];
  included_environments: string[] | null;
}

/** A policy that requires provenance and a compliant trail. */
export const STRICT = `_schema: https://docs.example/schemas/policy/environment/v1
artifacts:
  provenance:
    required: true
  trail-compliance:
    required: true
`;

/** Returns functions that read and report environments. */
export function environmentsOf(client: Client) {
  const { json } = client;
  const environment = (name: string) => json<EnvironmentJson>('get', 'environment', name);
  const snapshot = (expression: string) => json<SnapshotJson>('get', 'snapshot', expression);
  const rows = async (expression: string) => {
    const { index, artifacts } = await snapshot(expression);
    const words = artifacts.map(({ name, annotation }) => `${name} ${annotation.type}`).sort();
    return [`#${index}`, ...words];
  };
  /** Writes a file of the workspace. @returns its fingerprint */
  const write = (name: string, content: string): string => {
    writeFileSync(join(client.dir, name), content);
    return fingerprintOf(content);
  };

  /** A request as the client makes it. */
  const send = async (method: string, path: string, document?: unknown): Promise<[status: number, body: unknown]> => {
    const response = await fetch(`${client.url}/api/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${KEYS.ann}`, 'content-type': 'application/json; charset=utf-8' },
      ...(document !== undefined && { body: JSON.stringify(document) }),
    });
    return [response.status, await response.json()];
  };
  /** Sends the report that the client sends after it has asked a cluster, a cloud or a container engine. */
  const report = (env: string, kind: string, artifacts: readonly object[]) => {
    const type = kind === 'cloud-run' ? { type: kind } : {};
    return send('PUT', `/environments/${ORG}/${env}/report/${kind}`, { ...type, artifacts });
  };

  /** Runs a command that succeeds, possibly with warnings and several requests. @returns what it printed */
  const done = async (...args: string[]) => {
    const { code, stdout } = await client.run(...args);
    expect(code, args.join(' ')).toBe(0);
    return stdout;
  };

  return { environment, snapshot, rows, write, send, report, done };
}
