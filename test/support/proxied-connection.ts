import { connect, type Socket } from 'node:net';

/**
 * What a proxy does to the bytes of both directions.
 * `delay`: each byte comes so much later · `throttle`: so many bytes a second · `stall`: nothing comes through until the fault is over,
 * then all of it does, as after a partition that TCP outlives · `black-hole`: what is sent is swallowed, also by new connections;
 * when the fault is over, connections that lost something are reset. `hold-from`: from the first piece that the client sends with this
 * text in it, nothing of the client comes through until the fault is over.
 */
export type Fault =
  | { readonly kind: 'pass' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'throttle'; readonly bytesPerSecond: number }
  | { readonly kind: 'stall' }
  | { readonly kind: 'hold-from'; readonly text: string }
  | { readonly kind: 'black-hole' };

export type Side = 'client' | 'server';

/** Bytes of one direction that may wait in the proxy before it stops reading. */
const ROOM = 4 * 1024 * 1024;

type Piece = { readonly dueAt: number } & ({ readonly data: Buffer } | { readonly end: 'finished' | 'broken' });

/** One direction of a connection: what was read and not yet passed on, in order, its end included. */
class Direction {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #onBroken: () => void;
  readonly #waiting: Piece[] = [];
  #bytes = 0;
  #fault: Fault;
  #freeAt = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Something was swallowed: the stream has a hole and can only be reset. */
  holed = false;
  /** The text of `hold-from` has been seen. */
  holding = false;

  constructor(from: Socket, to: Socket, fault: Fault, onBroken: () => void) {
    this.#from = from;
    this.#to = to;
    this.#fault = fault;
    this.#onBroken = onBroken;
    from.on('data', (data: Buffer) => this.#take({ data, dueAt: this.#dueAt(data.length) }));
    from.on('end', () => this.#take({ end: 'finished', dueAt: this.#dueAt(0) }));
    from.on('close', (failed) => failed && this.#take({ end: 'broken', dueAt: this.#dueAt(0) }));
    to.on('drain', () => this.#pump());
  }

  set(fault: Fault): void {
    this.#fault = fault;
    this.#freeAt = 0;
    this.holding = false;
    this.#pump();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
  }

  #dueAt(bytes: number): number {
    const now = performance.now();
    if (this.#fault.kind === 'delay') return now + this.#fault.ms;
    if (this.#fault.kind !== 'throttle') return now;
    this.#freeAt = Math.max(this.#freeAt, now) + (bytes * 1_000) / this.#fault.bytesPerSecond;
    return this.#freeAt;
  }

  #take(piece: Piece): void {
    if (this.#fault.kind === 'black-hole') {
      this.holed = true;
      return;
    }
    if (this.#fault.kind === 'hold-from' && 'data' in piece && piece.data.includes(this.#fault.text))
      this.holding = true;
    this.#waiting.push(piece);
    if ('data' in piece) this.#bytes += piece.data.length;
    if (this.#bytes > ROOM) this.#from.pause();
    this.#pump();
  }

  #pump(): void {
    clearTimeout(this.#timer);
    if (this.#fault.kind === 'stall' || this.#fault.kind === 'black-hole' || this.holding) return;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const wait = this.#fault.kind === 'pass' || this.#fault.kind === 'hold-from' ? 0 : next.dueAt - performance.now();
      if (wait > 0) {
        this.#timer = setTimeout(() => this.#pump(), wait);
        return;
      }
      if (this.#to.writableNeedDrain) return;
      this.#waiting.shift();
      this.#pass(next);
    }
    if (this.#from.isPaused() && this.#bytes < ROOM / 2) this.#from.resume();
  }

  #pass(piece: Piece): void {
    if ('data' in piece) {
      this.#bytes -= piece.data.length;
      if (this.#to.writable) this.#to.write(piece.data);
    } else if (piece.end === 'finished') this.#to.end();
    else this.#onBroken();
  }
}

/** A client's connection and the proxy's own to the server. It ends when both sides have finished, or one is reset. */
export class ProxiedConnection {
  readonly ended: Promise<void>;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #directions: readonly Direction[];
  #tellEnded: () => void = () => undefined;

  constructor(client: Socket, port: number, fault: Fault) {
    this.#client = client;
    this.#server = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    this.ended = new Promise((resolve) => {
      this.#tellEnded = resolve;
    });
    let open = 2;
    for (const socket of [this.#client, this.#server]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        open -= 1;
        if (open === 0) this.#tellEnded();
      });
    }
    const reset = (): void => this.reset();
    this.#directions = [
      new Direction(this.#client, this.#server, fault, reset),
      new Direction(this.#server, this.#client, fault, reset),
    ];
  }

  /** What the client sent is held back by `hold-from`. */
  get holding(): boolean {
    return this.#directions.some(({ holding }) => holding);
  }

  set(fault: Fault): void {
    if (fault.kind !== 'black-hole' && this.#directions.some(({ holed }) => holed)) this.reset();
    else for (const direction of this.#directions) direction.set(fault);
  }

  halfClose(towards: Side): void {
    (towards === 'client' ? this.#client : this.#server).end();
  }

  reset(): void {
    for (const direction of this.#directions) direction.stop();
    this.#client.resetAndDestroy();
    this.#server.resetAndDestroy();
  }
}
