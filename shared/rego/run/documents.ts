import { RegoError } from '../errors.ts';
import { numberText } from '../values/decimal.ts';
import {
  compare,
  equal,
  isArray,
  isCollection,
  isNumber,
  type Key,
  keyOf,
  lookup,
  RegoObject,
  RegoSet,
  type Value,
  weightOf,
} from '../values/value.ts';
import type { PlannedRule, RuleNode } from './context.ts';
import { type Context, type Document, Frame, type Overlay, patched } from './context.ts';

/** A place below `data` where rules, data and replaced values can meet. */
export class Place {
  readonly node: RuleNode | null;
  readonly base: Value | undefined;
  readonly overlay: Overlay | null;

  constructor(node: RuleNode | null, base: Value | undefined, overlay: Overlay | null) {
    this.node = node;
    this.base = base;
    this.overlay = overlay;
  }

  /** Whether only data is here. */
  isStored(): boolean {
    return this.node === null && this.overlay === null;
  }
}

/** A document on a path through `data`: a place, or a complete value. */
export type Doc = Place | Value;

/** Returns the root of `data`. */
export function rootPlace(context: Context): Doc {
  return at(context, context.run.root, context.run.base, context.overlay) ?? new RegoObject();
}

/** Returns the document below another document under a key. */
export function below(context: Context, doc: Doc, key: Value): Doc | undefined {
  if (!(doc instanceof Place)) return lookup(doc, key);
  const base = doc.base === undefined ? undefined : storedBelow(doc.base, key);
  if (doc.isStored()) return base === undefined ? undefined : stored(base);
  const overlay = doc.overlay?.children.get(keyOf(key))?.[1] ?? null;
  return at(context, doc.node?.child(key) ?? null, base, overlay);
}

/** Data is addressed by paths of texts. So a number finds the key that has its text, and a text the index of an array. */
function storedBelow(base: Value, key: Value): Value | undefined {
  const found = lookup(base, key);
  if (found !== undefined) return found;
  if (base instanceof RegoObject && isNumber(key)) return base.get(numberText(key));
  return isArray(base) && typeof key === 'string' && /^\d+$/.test(key) ? base[Number(key)] : undefined;
}

/** Returns a part of the data as a place, so that paths into it are known as paths into data. */
export function stored(base: Value): Doc {
  return isCollection(base) ? new Place(null, base, null) : base;
}

/** Returns the keys below a place in order. Functions are not documents. */
export function keysBelow(place: Place): Value[] {
  const keys = new Map<Key, Value>();
  if (place.base instanceof RegoObject) for (const [key] of place.base.unordered()) keys.set(keyOf(key), key);
  for (const [id, node] of place.node?.children ?? []) {
    const name = node.names.at(-1);
    if (node.kind !== 'function' && name !== undefined) keys.set(id, name);
  }
  for (const [id, [key]] of place.overlay?.children ?? []) keys.set(id, key);
  return [...keys.values()].sort(compare);
}

/** Evaluates the whole value of a document. */
export function documentValue(context: Context, doc: Doc | undefined): Value | undefined {
  if (!(doc instanceof Place)) return doc;
  if (doc.isStored()) return doc.base;
  const made = new RegoObject();
  for (const key of keysBelow(doc)) {
    context.run.budget.spend();
    const value = documentValue(context, below(context, doc, key));
    if (value !== undefined) made.set(key, value);
  }
  context.run.budget.weight(weightOf(made));
  return made;
}

/** Evaluates the rules of a node, once per context. */
export function ruleValue(context: Context, node: RuleNode): Value | undefined {
  const known = context.values.get(node);
  if (known !== undefined) {
    if (known === null) throw new RegoError('eval', `rule ${node.path} is recursive`, node.rules[0]?.at ?? null);
    return known.value;
  }
  context.values.set(node, null);
  context.run.budget.enter();
  const value = node.kind === 'complete' ? single(context, node, []) : collected(context, node);
  context.run.budget.leave();
  context.values.set(node, { value });
  return value;
}

/** Calls a function with arguments that are all defined. */
export function callFunction(context: Context, node: RuleNode, args: readonly Value[]): Value | undefined {
  context.run.budget.enter();
  const result = single(context, node, args);
  context.run.budget.leave();
  return result;
}

function at(
  context: Context,
  node: RuleNode | null,
  base: Value | undefined,
  overlay: Overlay | null,
): Doc | undefined {
  if (overlay?.value !== undefined) return overlay.value;
  if (node !== null && node.kind !== 'package' && node.kind !== 'function') {
    const value = ruleValue(context, node);
    return overlay === null ? value : merged(value, overlay, []);
  }
  const lives = node !== null && node.kind === 'package';
  if (lives || overlay !== null) return new Place(node, base, overlay);
  return base === undefined ? undefined : stored(base);
}

function merged(value: Value | undefined, overlay: Overlay, path: readonly Value[]): Value | undefined {
  if (overlay.value !== undefined) return patched(value, path, overlay.value);
  let whole = value;
  for (const [key, child] of overlay.children.values()) whole = merged(whole, child, [...path, key]);
  return whole;
}

/** Returns the value on which all definitions of a node agree. The default applies when no definition has a value. */
function single(context: Context, node: RuleNode, args: readonly Value[]): Value | undefined {
  let result: Value | undefined;
  for (const rule of node.rules) result = resultOf(context, rule, args, result);
  if (result !== undefined || node.fallback === null) return result;
  return resultOf(context, node.fallback, args, undefined);
}

/** @param result of the previous definitions. This definition must agree with it. */
function resultOf(
  context: Context,
  rule: PlannedRule,
  args: readonly Value[],
  result: Value | undefined,
): Value | undefined {
  const frame = new Frame(context, rule.slots, rule.lists);
  for (let index = 0; index < args.length; index += 1) frame.slots[index] = args[index];
  frame.result = result;
  rule.run(frame);
  return frame.result;
}

function collected(context: Context, node: RuleNode): Value {
  const document = new Collected(context, node);
  collectRules(context, node, document);
  context.run.budget.weight(weightOf(document.whole));
  return document.whole;
}

/** Adds what the rules of a node and of the nodes below it define. They may add to the same objects and sets. */
function collectRules(context: Context, node: RuleNode, document: Document): void {
  for (const rule of node.rules) {
    const frame = new Frame(context, rule.slots, rule.lists);
    frame.document = document;
    rule.run(frame);
  }
  for (const child of node.children.values()) {
    const name = child.names.at(-1);
    if (name === undefined || child.kind === 'function') continue;
    if (child.kind !== 'complete') {
      collectRules(context, child, under(document, name));
      continue;
    }
    const value = ruleValue(context, child);
    if (value !== undefined) document.put([name], value);
  }
}

/** Returns the part of a document under one key. */
function under(document: Document, key: Value): Document {
  return {
    put: (path, value) => document.put([key, ...path], value),
    add: (path, member) => document.add([key, ...path], member),
  };
}

/** Collects the members of a set, or the values of an object at any depth. */
class Collected implements Document {
  whole: Value;
  private readonly node: RuleNode;
  private readonly context: Context;
  /** Objects and sets that this class created and that may grow. Other values were added whole. */
  private readonly growing = new Set<Value>();

  constructor(context: Context, node: RuleNode) {
    this.context = context;
    this.node = node;
    this.whole = node.kind === 'set' ? new RegoSet() : new RegoObject();
    this.growing.add(this.whole);
  }

  put(path: readonly Value[], value: Value): void {
    const parent = this.descend(path, path.length - 1, false);
    const key = path.at(-1);
    if (!(parent instanceof RegoObject) || key === undefined) throw this.conflict();
    const old = parent.get(key);
    if (old === undefined) this.grow(parent, key, value);
    else if ((this.growing.has(old) && old instanceof RegoObject) || !equal(old, value)) throw this.conflict();
  }

  add(path: readonly Value[], member: Value): void {
    const set = this.descend(path, path.length, true);
    if (!(set instanceof RegoSet)) throw this.conflict();
    this.context.run.budget.collection(set.size + 1);
    set.add(member);
  }

  /** Returns the object, or for `isSet` the set, at the first `count` keys. */
  private descend(path: readonly Value[], count: number, isSet: boolean): Value {
    let here = this.whole;
    for (let index = 0; index < count; index += 1) {
      const key = path[index];
      if (!(here instanceof RegoObject) || key === undefined) throw this.conflict();
      let next = here.get(key);
      if (next === undefined) {
        next = isSet && index === count - 1 ? new RegoSet() : new RegoObject();
        this.growing.add(next);
        this.grow(here, key, next);
      } else if (!this.growing.has(next)) {
        throw this.conflict();
      }
      here = next;
    }
    return here;
  }

  private grow(object: RegoObject, key: Value, value: Value): void {
    this.context.run.budget.collection(object.size + 1);
    object.set(key, value);
  }

  private conflict(): RegoError {
    const message = `object keys must be unique: rule ${this.node.path} produces different values for one key`;
    return new RegoError('eval', message, this.node.rules[0]?.at ?? null);
  }
}
