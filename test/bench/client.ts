import { Agent, request as httpRequest } from 'node:http';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { gatewayEvent } from '../support/gateway.ts';
import type { BenchStack } from './bench-stack.ts';
import { artifactReport, FLOW } from './facts.ts';

/** A request as the benchmark sends it, by the function alone or through the gateway. */
export interface Asked {
  method: string;
  /** Below `/api/v2`. */
  path: string;
  query?: string;
  json?: unknown;
  /** A form: its content type and its bytes. */
  form?: { contentType: string; bytes: Buffer };
}

export interface Client {
  /** Calls the function of a group. @throws Error for any other answer than expected */
  direct(group: EndpointGroup, asked: Asked, expected: number): Promise<string>;
  /** The same, with the event ready that the gateway makes of the request. */
  prepared(group: EndpointGroup, asked: Asked, expected: number): () => Promise<string>;
  /** The same over HTTP and through the gateway. @throws Error for any other answer than expected */
  http(asked: Asked, expected: number): Promise<string>;
  close(): void;
}

const BOUNDARY = 'boundary-of-the-benchmark';

/** A form of texts; files are named as their parts. */
export function formOf(fields: Record<string, string>, files: Record<string, string> = {}): Required<Asked>['form'] {
  const part = (head: string, text: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
  const parts = [
    ...Object.entries(fields).map(([name, text]) => part(`name="${name}"`, text)),
    ...Object.entries(files).map(([name, text]) => part(`name="${name}"; filename="${name}"`, text)),
  ];
  const bytes = Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`);
  return { contentType: `multipart/form-data; boundary=${BOUNDARY}`, bytes };
}

/** Begins a trail, as the command-line client does. */
export const beginTrail = (org: string, name: string): Asked => ({
  method: 'PUT',
  path: `/trails/${org}/${FLOW}`,
  form: formOf({ data_json: JSON.stringify({ name, description: 'A release' }) }),
});

/** Reports an artifact of such content into a trail. */
export const reportArtifact = (org: string, content: string, trail: string): Asked => ({
  method: 'POST',
  path: `/artifacts/${org}/${FLOW}`,
  json: artifactReport(content, trail),
});

const JSON_TYPE = 'application/json; charset=utf-8';

export function clientOf(stack: BenchStack, key: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const { hostname, port } = new URL(stack.url);
  const answered = ({ method, path }: Asked, status: number, text: string, expected: number) => {
    if (status !== expected) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`);
    return text;
  };
  const prepared: Client['prepared'] = (group, asked, expected) => {
    const { method, path, query = '', json, form } = asked;
    const event = gatewayEvent({
      method,
      path: `/api/v2${path}`,
      query,
      key,
      headers: { 'content-type': form?.contentType ?? JSON_TYPE },
      body: form?.bytes ?? (json === undefined ? undefined : JSON.stringify(json)),
    });
    return async () => {
      const { statusCode, body = '' } = await stack.handlerOf(group)(event);
      return answered(asked, statusCode, body, expected);
    };
  };
  return {
    prepared,
    direct: (group, asked, expected) => prepared(group, asked, expected)(),
    http: (asked, expected) =>
      new Promise((resolve, reject) => {
        const { method, path, query, json, form } = asked;
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
                resolve(answered(asked, answer.statusCode ?? 0, Buffer.concat(chunks).toString('utf8'), expected));
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
