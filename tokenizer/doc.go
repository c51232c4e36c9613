// Package tokenizer turns text into the numbers that language models were trained on, and back:
//
//	t, err := tokenizer.Load("tokenizer.json")
//	b, err := t.Batch([]string{"How far is the moon?", "The moon is far."}, tokenizer.BatchOptions{MaxLength: 128})
//	out, err := program.Run(ctx, b.Feeds()) // input_ids, attention_mask, token_type_ids
//
// [Load] reads the files of the library tokenizers of Hugging Face (tokenizer.json), and those of SentencePiece (.model); [LoadVocab]
// BERT's list of words (vocab.txt), and [LoadBPE] GPT-2's files (vocab.json, merges.txt). Models are WordPiece, byte-pair encoding, on
// bytes or with bytes for what is unknown, and unigrams. What a file asks for and is not known here is an error of Load: nothing is
// passed over.
//
// A [Tokenizer] does not change and is safe for several goroutines. Text that is not valid UTF-8 has U+FFFD in place of what is not.
//
// Sources: Wu et al., Google's Neural Machine Translation System (2016), for WordPiece; Sennrich et al., Neural Machine Translation of Rare
// Words with Subword Units (2016); Radford et al., Language Models are Unsupervised Multitask Learners (2019), for BPE on bytes; Kudo,
// Subword Regularization (2018), for unigrams; Kudo and Richardson, SentencePiece (2018).
package tokenizer
