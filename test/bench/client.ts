import { Agent, request as httpRequest } from 'node:http';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { gatewayEvent } from '../support/gateway.ts';
import type { BenchStack } from './bench-stack.ts';
import { artifactReport, FLOW } from './organizations/facts.ts';

/** A request of the benchmark, for a direct call of the function or for HTTP. */
export interface BenchRequest {
  method: string;
  /** Below `/api/v2`. */
  path: string;
  query?: string;
  json?: unknown;
  /** A form: its content type and its bytes. */
  form?: { contentType: string; bytes: Buffer };
}

export interface Client {
  /** The API key that it sends. */
  key: string;
  /** Calls the function of a group. @throws Error if the answer has another status than `expected` */
  direct(group: EndpointGroup, request: BenchRequest, expected: number): Promise<string>;
  /** Makes the event of the gateway now, and returns a function that calls the function of the group with it. */
  prepare(group: EndpointGroup, request: BenchRequest, expected: number): () => Promise<string>;
  /** Sends a request over HTTP to the gateway. @throws Error if the answer has another status than `expected` */
  http(request: BenchRequest, expected: number): Promise<string>;
  close(): void;
}

const BOUNDARY = 'boundary-of-the-benchmark';

/** Encodes a form of texts. The name of each file is the name of its part. */
export function formOf(
  fields: Record<string, string>,
  files: Record<string, string> = {},
): Required<BenchRequest>['form'] {
  const part = (head: string, text: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
  const parts = [
    ...Object.entries(fields).map(([name, text]) => part(`name="${name}"`, text)),
    ...Object.entries(files).map(([name, text]) => part(`name="${name}"; filename="${name}"`, text)),
  ];
  const bytes = Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`);
  return { contentType: `multipart/form-data; boundary=${BOUNDARY}`, bytes };
}

/** Request that begins a trail with a form, as the command-line client does. */
export const beginTrail = (org: string, name: string, flow = FLOW): BenchRequest => ({
  method: 'PUT',
  path: `/trails/${org}/${flow}`,
  form: formOf({ data_json: JSON.stringify({ name, description: 'A release' }) }),
});

/** Request that reports the artifact with a content into a trail. */
export const reportArtifact = (org: string, content: string, trail: string): BenchRequest => ({
  method: 'POST',
  path: `/artifacts/${org}/${FLOW}`,
  json: artifactReport(content, trail),
});

const JSON_TYPE = 'application/json; charset=utf-8';

/** The event with which the gateway calls the function. */
export const eventOf = ({ method, path, query = '', json, form }: BenchRequest, key: string) =>
  gatewayEvent({
    method,
    path: `/api/v2${path}`,
    query,
    key,
    headers: { 'content-type': form?.contentType ?? JSON_TYPE },
    body: form?.bytes ?? (json === undefined ? undefined : JSON.stringify(json)),
  });

export function clientOf(stack: BenchStack, key: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const { hostname, port } = new URL(stack.url);
  const checked = ({ method, path }: BenchRequest, status: number, text: string, expected: number) => {
    if (status !== expected) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`);
    return text;
  };
  const prepare: Client['prepare'] = (group, request, expected) => {
    const event = eventOf(request, key);
    return async () => {
      const { statusCode, body = '' } = await stack.handlerOf(group)(event);
      return checked(request, statusCode, body, expected);
    };
  };
  return {
    key,
    prepare,
    direct: (group, request, expected) => prepare(group, request, expected)(),
    http: (request, expected) =>
      new Promise((resolve, reject) => {
        const { method, path, query, json, form } = request;
        const body = form?.bytes ?? (json === undefined ? undefined : JSON.stringify(json));
        const sent = httpRequest(
          {
            agent,
            hostname,
            port,
            method,
            path: encodeURI(`/api/v2${path}`) + (query === undefined ? '' : `?${query}`),
            headers: {
              authorization: `Bearer ${key}`,
              ...(body !== undefined && {
                'content-type': form?.contentType ?? JSON_TYPE,
                'content-length': Buffer.byteLength(body),
              }),
            },
          },
          (answer) => {
            const chunks: Buffer[] = [];
            answer.on('data', (chunk: Buffer) => chunks.push(chunk));
            answer.on('error', reject);
            answer.on('end', () => {
              try {
                resolve(checked(request, answer.statusCode ?? 0, Buffer.concat(chunks).toString('utf8'), expected));
              } catch (error) {
                reject(error);
              }
            });
          },
        );
        sent.on('error', reject);
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}
