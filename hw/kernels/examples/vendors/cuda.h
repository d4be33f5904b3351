/* SPDX-License-Identifier: GPL-3.0-or-later */

/* In the place of the vendor's header: the words are in cuda_words.h. */
