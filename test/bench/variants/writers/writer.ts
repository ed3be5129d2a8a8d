/** What the hand-written programs take out of an event. */
export interface Entity {
  readonly name: string;
  readonly description?: string;
  readonly columns: readonly { readonly name: string; readonly dataType: string; readonly description?: string }[];
}

/** How a hand-written program writes to one system. */
export interface Writer {
  /** One statement for each text, over a pool of 8. */
  one(entity: Entity): Promise<void>;
  /** As many as possible in one go, in order; tries again when a session is cut, passes over tables that do not exist. */
  many(entities: readonly Entity[]): Promise<void>;
}
