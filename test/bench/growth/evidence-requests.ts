import type { BenchRequest } from '../client.ts';
import { artifactReport, attestation, FLOW, fingerprintOf } from '../organizations/facts.ts';
import { copyName, type Place, post, put } from './axis.ts';

/** Names and requests that the axes of evidence share. */

export const COPIED = copyName(7);
export const TRAIL = 'the-trail';
export const FINGERPRINT = fingerprintOf('the content');

export const makeFlow = ({ name, client }: Place, flow = FLOW) =>
  client.http(put(`/flows/${name}`, { name: flow, template: [] }), 201);
export const attest = (org: string, check: string, n: number, trail = TRAIL): BenchRequest =>
  post(`/attestations/${org}/${FLOW}/trail/${trail}/generic`, attestation(check, n));
export const report = (org: string, content: string, trail: string, flow = FLOW): BenchRequest =>
  post(`/artifacts/${org}/${flow}`, artifactReport(content, trail));
