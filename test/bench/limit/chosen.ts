import type { MeasuredRequest } from '../requests/measured.ts';
import { REQUESTS } from '../requests/requests.ts';

/** The main read and the main writes of each group that stores data. */
const CHOSEN = [
  ...['get flow', 'put flow, changed'],
  ...['get trail', 'list trails, page 1', 'begin trail'],
  ...['list attestations, page 1', 'attest, 2 KB'],
  ...['get artifact', 'list artifacts, page 1', 'report artifact'],
  'assert artifact',
  ...['get environment', 'list environments', 'report, unchanged', 'report, changed'],
  'get snapshot',
  ...['get policy', 'make policy'],
  ...['get control', 'make control'],
  'list builds, page 1',
  ...['list evaluations', 'request evaluation'],
  ...['list actions', 'put action, changed'],
  'allow artifact',
  'list repos, page 1',
  'search fingerprint',
  'tag flow',
  ...['list service accounts', 'make service account'],
  'list members',
  'list audit log',
];

/** @throws Error if there is no request with a chosen name */
export function chosenRequests(only = ''): MeasuredRequest[] {
  const requests = CHOSEN.map((name) => {
    const request = REQUESTS.find((one) => one.name === name);
    if (!request) throw new Error(`There is no measured request '${name}'`);
    return request;
  });
  return requests.filter(({ name }) => name.includes(only));
}
