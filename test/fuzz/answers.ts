import { gunzipSync } from 'node:zlib';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TestAnswer } from '#test/support/gateway.ts';
import type { Document, Operation } from './document.ts';

/** Holds answers to what the document says of them. */
export class Promises {
  readonly #document: Document;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false, validateSchema: false });
  readonly #checks = new Map<string, ValidateFunction>();

  constructor(document: Document) {
    this.#document = document;
  }

  /**
   * What is wrong with an answer, or nothing.
   * @param reached whether the address surely leads to the operation: with an empty parameter or a slash in one it may
   *   be another's, or nobody's
   */
  problemOf(operation: Operation, reached: boolean, { status, headers, text, json }: TestAnswer): string | undefined {
    if (status >= 500) return `a fault: ${text.slice(0, 300)}`;
    if (!headers['x-request-id']) return 'no X-Request-ID';
    if (!reached) return undefined;
    const content = operation.responses[String(status)]?.content;
    if (!content) return `the status ${status} is not in the document: ${text.slice(0, 200)}`;
    const type = headers['content-type'] ?? '';
    const declared = content[type];
    if (!declared) return `the type ${type} is not in the document`;
    const body = headers['content-encoding'] === 'gzip' ? unpacked(text) : type === 'application/json' ? json : text;
    const check = this.#checkOf(`${operation.operationId} ${status}`, declared.schema);
    if (check(body)) return undefined;
    const [{ instancePath = '', message = '', params = {} } = {}] = check.errors ?? [];
    return `not as its schema says at '${instancePath}': ${message} ${JSON.stringify(params)}; body ${text.slice(0, 500)}`;
  }

  #checkOf(name: string, schema: object): ValidateFunction {
    const known = this.#checks.get(name);
    if (known) return known;
    const check = this.#ajv.compile({ ...schema, components: this.#document.components });
    this.#checks.set(name, check);
    return check;
  }
}

const unpacked = (text: string): unknown => JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString('utf8'));
