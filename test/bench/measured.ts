import type { EndpointGroup } from '#shared/http/endpoint.ts';
import type { Asked } from './client.ts';

/** Something that is measured: the n-th request of its kind in an organization. */
export interface Measured {
  name: string;
  group: EndpointGroup;
  kind: 'read' | 'write';
  expected: number;
  /** @param trails how many were filled in */
  asked(org: string, n: number, trails: number): Asked;
}

type Make = Measured['asked'];
const measured =
  (kind: Measured['kind'], expected: number) =>
  (group: EndpointGroup, name: string, asked: Make): Measured => ({ name, group, kind, expected, asked });

export const read = measured('read', 200);
/** A write that makes something, and one that changes it. */
export const made = measured('write', 201);
export const kept = measured('write', 200);

export const get =
  (path: (org: string, n: number, trails: number) => string, query?: string): Make =>
  (org, n, trails) => ({ method: 'GET', path: path(org, n, trails), ...(query !== undefined && { query }) });
