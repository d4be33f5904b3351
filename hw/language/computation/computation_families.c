/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of computations by name: the operators and subgraphs of Ansor's evaluation with their
 * shapes (Zheng et al., OSDI 2020, section 7.1 and appendix C; channels last), and what attention
 * is made of. One row more is one more computation. */

#include <opevo/computation_named.h>

/* Extents of the output; the input I with its zeros as P. */
#define WINDOW_2D                                                                                  \
    "OH = (height + 2*pad - DILATED)//stride + 1\n"                                                \
    "OW = (width + 2*pad - DILATED)//stride + 1\n"
#define PAD_2D                                                                                     \
    "+P[n, ph:height + 2*pad, pw:width + 2*pad, c] = select(pad <= ph and ph < height + pad and "  \
    "pad <= pw and pw < width + pad, I[n, ph - pad, pw - pad, c], 0)\n"
#define IMAGE "I[n:batch, ih:height, iw:width, c:in]\n"
#define CONV_2D(O)                                                                                 \
    "DILATED = kernel\n" WINDOW_2D IMAGE "const W[r:kernel, s:kernel, c, f:out]\n" PAD_2D "+" O    \
    "[n, h:OH, w:OW, f] = sum(r, s, c) P[n, stride*h + r, stride*w + s, c]*W[r, s, c, f]\n"        \
    "-" O "[n, h:OH, w:OW, f] = sum(r, s, c) I[n, stride*h + r, stride*w + s, c]*W[r, s, c, f]\n"
#define CONV_PARAMETERS "batch,height,width,in,out,kernel,stride,pad"

static const opevo_computation_family families[] = {
    {"gmm", "batch,rows,columns,depth", "matrix products, one for each of a batch", NULL,
     "128,128,128;512,32,512;512,512,512;1024,1024,1024",
     "X[b:batch, i:rows, k:depth]\n"
     "Y[b, k, j:columns]\n"
     "Z[b, i, j] = sum(k) X[b, i, k]*Y[b, k, j]"},

    {"c1d", "batch,length,in,out,kernel,stride,pad", "one-dimensional convolution", NULL,
     "256,64,128,3,2,1;128,128,256,1,2,0;64,256,256,5,1,2;32,512,512,3,1,1",
     "OL = (length + 2*pad - kernel)//stride + 1\n"
     "I[n:batch, il:length, c:in]\n"
     "const W[r:kernel, c, f:out]\n"
     "+P[n, pl:length + 2*pad, c] = select(pad <= pl and pl < length + pad, I[n, pl - pad, c], 0)\n"
     "+O[n, l:OL, f] = sum(r, c) P[n, stride*l + r, c]*W[r, c, f]\n"
     "-O[n, l:OL, f] = sum(r, c) I[n, stride*l + r, c]*W[r, c, f]"},

    {"c2d", CONV_PARAMETERS, "two-dimensional convolution", NULL,
     "224,224,3,64,7,2,3;56,56,64,64,1,1,0;14,14,256,256,3,1,1;7,7,512,512,3,1,1", CONV_2D("O")},

    {"c3d", "batch,frames,height,width,in,out,kernel,stride,pad", "three-dimensional convolution",
     NULL, "16,224,224,3,64,7,2,3;16,56,56,64,64,1,1,0;16,14,14,256,256,3,1,1;16,7,7,512,512,3,1,1",
     "OD = (frames + 2*pad - kernel)//stride + 1\n"
     "OH = (height + 2*pad - kernel)//stride + 1\n"
     "OW = (width + 2*pad - kernel)//stride + 1\n"
     "I[n:batch, id:frames, ih:height, iw:width, c:in]\n"
     "const W[q:kernel, r:kernel, s:kernel, c, f:out]\n"
     "+P[n, pd:frames + 2*pad, ph:height + 2*pad, pw:width + 2*pad, c] = select(pad <= pd and pd < "
     "frames + pad and pad <= ph and ph < height + pad and pad <= pw and pw < width + pad, I[n, pd "
     "- pad, ph - pad, pw - pad, c], 0)\n"
     "+O[n, d:OD, h:OH, w:OW, f] = sum(q, r, s, c) P[n, stride*d + q, stride*h + r, stride*w + s, "
     "c]*W[q, r, s, c, f]\n"
     "-O[n, d:OD, h:OH, w:OW, f] = sum(q, r, s, c) I[n, stride*d + q, stride*h + r, stride*w + s, "
     "c]*W[q, r, s, c, f]"},

    {"grp", CONV_PARAMETERS ",groups", "convolution in groups of channels", "groups|in,groups|out",
     "56,56,64,128,3,2,1,4;56,56,64,64,1,1,0,4;14,14,256,256,3,1,1,4;7,7,512,512,3,1,1,4",
     "DILATED = kernel\n" WINDOW_2D "GI = in//groups\n"
     "GO = out//groups\n" IMAGE "const W[r:kernel, s:kernel, g:GI, f:out]\n" PAD_2D
     "+O[n, h:OH, w:OW, f] = sum(r, s, g) P[n, stride*h + r, stride*w + s, GI*(f//GO) + g]*W[r, s, "
     "g, f]\n"
     "-O[n, h:OH, w:OW, f] = sum(r, s, g) I[n, stride*h + r, stride*w + s, GI*(f//GO) + g]*W[r, s, "
     "g, f]"},

    {"dil", CONV_PARAMETERS ",dilation", "dilated convolution", NULL,
     "224,224,3,64,7,2,3,2;56,56,64,64,1,1,0,2;14,14,256,256,3,1,1,2;7,7,512,512,3,1,1,2",
     "DILATED = dilation*(kernel - 1) + 1\n" WINDOW_2D IMAGE
     "const W[r:kernel, s:kernel, c, f:out]\n" PAD_2D
     "+O[n, h:OH, w:OW, f] = sum(r, s, c) P[n, stride*h + dilation*r, stride*w + dilation*s, "
     "c]*W[r, s, c, f]\n"
     "-O[n, h:OH, w:OW, f] = sum(r, s, c) I[n, stride*h + dilation*r, stride*w + dilation*s, "
     "c]*W[r, s, c, f]"},

    {"dep", "batch,height,width,in,kernel,stride,pad", "depthwise convolution", NULL,
     "112,112,32,3,1,1;112,112,64,3,2,1;14,14,512,3,2,1;7,7,1024,3,1,1",
     "DILATED = kernel\n" WINDOW_2D IMAGE "const W[r:kernel, s:kernel, c]\n" PAD_2D
     "+O[n, h:OH, w:OW, c] = sum(r, s) P[n, stride*h + r, stride*w + s, c]*W[r, s, c]\n"
     "-O[n, h:OH, w:OW, c] = sum(r, s) I[n, stride*h + r, stride*w + s, c]*W[r, s, c]"},

    /* O[stride*i + r - pad] += I[i]*W[r]: for an output at h, r = (h + pad) % stride + stride*q. */
    {"t2d", CONV_PARAMETERS, "transposed convolution, without the zeros between pixels",
     "stride|kernel", "4,4,512,256,4,2,1;8,8,256,128,4,2,1;16,16,128,64,4,2,1;32,32,64,3,4,2,1",
     "Q = kernel//stride\n"
     "T = Q - 1 - pad//stride\n"
     "OH = (height - 1)*stride - 2*pad + kernel\n"
     "OW = (width - 1)*stride - 2*pad + kernel\n" IMAGE "const W[r:kernel, s:kernel, c, f:out]\n"
     "P[n, ph:(OH - 1 + pad)//stride + T + 1, pw:(OW - 1 + pad)//stride + T + 1, c] = select(T <= "
     "ph and ph < height + T and T <= pw and pw < width + T, I[n, ph - T, pw - T, c], 0)\n"
     "O[n, h:OH, w:OW, f] = sum(qh:Q, qw:Q, c) P[n, (h + pad)//stride - qh + T, (w + pad)//stride "
     "- qw + T, c]*W[(h + pad)%stride + stride*qh, (w + pad)%stride + stride*qw, c, f]"},

    {"cap", CONV_PARAMETERS, "convolution of 4 x 4 capsules", NULL,
     "16,16,32,32,3,2,1;8,8,32,32,3,1,1;16,16,8,16,3,2,1;8,8,16,16,3,1,1",
     "DILATED = kernel\n" WINDOW_2D "I[n:batch, ih:height, iw:width, i:4, k:4, c:in]\n"
     "const W[r:kernel, s:kernel, k, j:4, c, f:out]\n"
     "+P[n, ph:height + 2*pad, pw:width + 2*pad, i, k, c] = select(pad <= ph and ph < height + pad "
     "and pad <= pw and pw < width + pad, I[n, ph - pad, pw - pad, i, k, c], 0)\n"
     "+O[n, h:OH, w:OW, i, j, f] = sum(r, s, k, c) P[n, stride*h + r, stride*w + s, i, k, c]*W[r, "
     "s, k, j, c, f]\n"
     "-O[n, h:OH, w:OW, i, j, f] = sum(r, s, k, c) I[n, stride*h + r, stride*w + s, i, k, c]*W[r, "
     "s, k, j, c, f]"},

    {"nrm", "batch,rows,columns", "Frobenius norm of a matrix, for each of a batch", NULL,
     "256,256;512,512;1024,1024;4096,1024",
     "X[b:batch, i:rows, j:columns]\n"
     "S[b] = sum(i, j) X[b, i, j]*X[b, i, j]\n"
     "Z[b] = sqrt(S[b])"},

    {"conv-layer", CONV_PARAMETERS, "convolution, batch norm (scale and shift), ReLU", NULL,
     "224,224,3,64,7,2,3;56,56,64,128,3,2,1;28,28,128,256,1,2,0;7,7,512,512,3,1,1",
     CONV_2D("C") "const scale[f]\n"
                  "const shift[f]\n"
                  "B[n, h, w, f] = C[n, h, w, f]*scale[f] + shift[f]\n"
                  "R[n, h, w, f] = max(B[n, h, w, f], 0)"},

    {"tbg", "batch,sequence,heads,size", "two transposes and a batched matrix product", NULL,
     "128,12,64;128,16,64;64,12,128;128,12,128",
     "Q[b:batch, i:sequence, h:heads, k:size]\n"
     "K[b, j:sequence, h, k]\n"
     "QT[b, h, i, k] = Q[b, i, h, k]\n"
     "KT[b, h, k, j] = K[b, j, h, k]\n"
     "S[b, h, i, j] = sum(k) QT[b, h, i, k]*KT[b, h, k, j]"},

    {"softmax", "rows,columns", "softmax of each row", NULL, NULL,
     "X[i:rows, j:columns]\n"
     "M[i] = max(j) X[i, j]\n"
     "E[i, j] = exp(X[i, j] - M[i])\n"
     "S[i] = sum(j) E[i, j]\n"
     "Y[i, j] = E[i, j]/S[i]"},

    {"layer-norm", "rows,columns", "each row to mean 0 and variance 1, then scale and shift", NULL,
     NULL,
     "X[i:rows, j:columns]\n"
     "const scale[j]\n"
     "const shift[j]\n"
     "S[i] = sum(j) X[i, j]\n"
     "D[i, j] = X[i, j] - S[i]/columns\n"
     "V[i] = sum(j) D[i, j]*D[i, j]\n"
     "Y[i, j] = D[i, j]/sqrt(V[i]/columns + 1e-5)*scale[j] + shift[j]"},

    {"attention", "batch,heads,sequence,size",
     "two batched matrix products with softmax between them", NULL, NULL,
     "Q[b:batch, h:heads, i:sequence, k:size]\n"
     "K[b, h, j:sequence, k]\n"
     "V[b, h, j, d:size]\n"
     "S[b, h, i, j] = sum(k) Q[b, h, i, k]*K[b, h, j, k]\n"
     "M[b, h, i] = max(j) S[b, h, i, j]\n"
     "E[b, h, i, j] = exp((S[b, h, i, j] - M[b, h, i])/sqrt(size))\n"
     "R[b, h, i] = sum(j) E[b, h, i, j]\n"
     "P[b, h, i, j] = E[b, h, i, j]/R[b, h, i]\n"
     "O[b, h, i, d] = sum(j) P[b, h, i, j]*V[b, h, j, d]"},
};

size_t opevo_computation_family_count(void)
{
    return sizeof families / sizeof *families;
}

const opevo_computation_family *opevo_computation_family_get(size_t i)
{
    return &families[i];
}
